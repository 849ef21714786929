import { publishedNumber } from '../../catalogue/studies/published.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { DocumentTable } from '../document/blocks.ts';
import { measured, measuredCell, nameBy, type StudyInput, variedAmong } from './study-input.ts';

/** The study prints two of its points: TLS at QoS 0 with the fewest and the most subscribers. */
function printedOf({ treatment: { levels } }: ComparedTreatment): number | null {
  if (levels.security === 'plain') return null;
  return publishedNumber({
    study: 'rpi-broker',
    table: 'subscribers',
    metric: 'broker CPU',
    treatment: `TLS QoS ${levels.qos} ${levels.subscribers} subscribers`,
  });
}

/** Every point of the load, published beside measured. */
export function loadTable(input: StudyInput): DocumentTable {
  const varied = variedAmong(input.treatments, ['security', 'qos', 'rate']);
  const rows = input.treatments.map((one) => ({
    one,
    name: nameBy(one, varied.length > 0 ? varied : ['security']),
    subscribers: Number(one.treatment.levels.subscribers),
  }));
  rows.sort((a, b) => a.name.localeCompare(b.name) || a.subscribers - b.subscribers);
  return {
    columns: [
      { head: 'Configuration' },
      { head: 'Subscribers' },
      { head: 'CPU, published', unit: '%' },
      { head: 'CPU, measured', unit: '%' },
      { head: 'Memory', unit: 'MB' },
      { head: 'Memory, peak', unit: 'MB' },
    ],
    rows: rows.map(({ one, name, subscribers }) => [
      name,
      subscribers,
      printedOf(one),
      measuredCell(measured(input, one, 'cpu.broker')),
      measuredCell(measured(input, one, 'memory.broker.mean')),
      measuredCell(measured(input, one, 'memory.broker.peak')),
    ]),
  };
}
