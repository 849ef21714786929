import type { ReportStability } from '../../../domain/report/report-stability.ts';
import { formatNumber, formatSigned } from '../../../format/number.ts';
import { measured, type StudyInput } from '../study-input.ts';
import { type Configuration, printed } from './configurations.ts';

const responses = [
  { noun: 'energy of the emitter', metric: 'energy.publisher', published: 'cumulative energy' },
  { noun: 'mean latency', metric: 'latency.mean', published: 'mean latency' },
] as const;
/** Percent; the study's benchmark of repeatability. */
const benchmark = 5;

interface Placed {
  name: string;
  then: number;
  now: number;
}

/** Where the three published configurations stand to each other, as printed and here; never a claim about a cause. */
export function agreementSentences(input: StudyInput, rows: readonly Configuration[]): string[] {
  const said = responses.flatMap(({ noun, metric, published }) => {
    const placed = rows.flatMap(({ name, one, published: treatment }): Placed[] => {
      const now = one ? (measured(input, one, metric)?.value ?? null) : null;
      const then = printed(published, treatment);
      return now === null || then === null ? [] : [{ name, then, now }];
    });
    const [plain, ...others] = placed;
    if (!plain || others.length === 0 || plain.now <= 0) return [];
    const over = others.map(
      ({ name, then, now }) =>
        `${name} ${formatSigned((then / plain.then - 1) * 100, 1)} % as printed and ${formatSigned((now / plain.now - 1) * 100, 1)} % here`,
    );
    const orderOf = (pick: (one: Placed) => number) =>
      placed.toSorted((a, b) => pick(a) - pick(b)).map(({ name }) => name);
    const [was, is] = [orderOf(({ then }) => then), orderOf(({ now }) => now)];
    const agree = was.every((name, index) => name === is[index]);
    return [
      `Over plain, the ${noun}: ${over.join('; ')}. ${agree ? 'The order of the three is the published one.' : `The order is another one: ${is.join(' < ')} here, ${was.join(' < ')} as printed.`} On the means only: whether a difference is resolved stands below.`,
    ];
  });
  return [...said, ...repeatability(input.report?.stability ?? null)];
}

function repeatability(stability: ReportStability | null): string[] {
  const current = stability?.variables.find(({ id }) => id === 'current.publisher');
  const known = current?.summaries.flatMap(({ cvRuns }) => cvRuns ?? []) ?? [];
  if (known.length === 0) return [];
  const most = Math.max(...known);
  return [
    `The emitter’s mean current varies across runs by at most ${formatNumber(most)} % (coefficient of variation), ${most < benchmark ? 'inside' : 'outside'} the study’s benchmark of ${benchmark} %.`,
  ];
}
