import { namerOf } from '@mqttlab/charts/blocks/measured';
import { capturedTable, seenTable } from '@mqttlab/charts/document/evidence-tables';
import type { PageBlock, StudyInput } from './input.ts';

const missing = 'no valid run captured packets at the broker';

/** Shows the data that packets between the devices reveal, by configuration. */
export function eavesdropper(names: readonly string[]): PageBlock[] {
  const nameOf = ({ treatments }: StudyInput) => {
    const name = namerOf(treatments, names);
    const known = new Map(treatments.map((one) => [one.treatment.key, name(one)]));
    return (key: string) => known.get(key) ?? key;
  };
  const rowsOf = (draw: typeof seenTable) => (input: StudyInput) =>
    input.report && input.report.captured.length > 0 ? draw(input.report.captured, nameOf(input)) : null;
  return [
    { kind: 'rows', title: 'What an eavesdropper sees', rows: rowsOf(seenTable), missing },
    {
      kind: 'rows',
      title: 'Captured packets of the first run of each configuration',
      rows: rowsOf(capturedTable),
      missing,
    },
    {
      kind: 'table',
      title: 'Bytes and latency per message',
      names,
      quantities: [
        { head: 'On the wire', measure: 'wire.perMessage', unit: 'B' },
        { head: 'Latency', measure: 'latency.mean', unit: 'ms' },
      ],
    },
  ];
}
