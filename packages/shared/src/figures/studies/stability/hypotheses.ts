import { contrastTreatments } from '../../../analysis/contrasts.ts';
import { isClear } from '../../../analysis/result.ts';
import { findMetric } from '../../../catalogue/metrics.ts';
import type { ReportStability, StabilityContrast } from '../../../domain/report/report-stability.ts';
import { formatNumber, NO_VALUE } from '../../../format/number.ts';
import { standardisedDifference } from '../../../statistics/comparisons/effect-size.ts';
import type { DocumentBuilder } from '../../document/blocks.ts';
import { intervalText } from '../../document/words.ts';
import { type Pair, pairSentences } from '../relative.ts';
import { makeTable } from '../render/measured.ts';
import type { StudyInput } from '../study-input.ts';
import type { Configuration, StabilityContext } from './configurations.ts';
import { sizeWord } from './series.ts';

/** Which way a pair differs in a metric: beyond chance, or not known. */
type Direction = 'above' | 'below' | 'open';

/** Each pair on its own, over runs: p-values are adjusted over the pairs of one hypothesis. */
function directionsOf(
  { treatments, flagged }: StudyInput,
  metricId: string,
  pairs: readonly Pair[],
): Direction[] {
  const metric = findMetric(metricId);
  if (!metric) return pairs.map(() => 'open');
  return contrastTreatments({ treatments, metric, flagged, pairs, baselineId: '' }).map((contrast) => {
    if (!isClear(contrast)) return 'open';
    return (contrast.value ?? 0) > (contrast.scale === 'ratio' ? 1 : 0) ? 'above' : 'below';
  });
}

function verdictOf(found: readonly Direction[], wanted: Direction): 'holds' | 'is refuted' | 'stays open' {
  if (found.length > 0 && found.every((one) => one === wanted)) return 'holds';
  return found.some((one) => one !== wanted && one !== 'open') ? 'is refuted' : 'stays open';
}

const energy = 'energy.publisher';
const latency = 'latency.mean';

/** The three hypotheses of the study (section 1), answered by intervals over runs and never beyond them. */
export function addHypotheses(
  builder: DocumentBuilder,
  input: StudyInput,
  rows: readonly Configuration[],
): void {
  builder.heading('The three hypotheses');
  builder.paragraph(
    'As published all three hold. Here each is answered by the 95 % intervals over runs of these very configurations, adjusted for the pairs that it takes (Holm); where an interval does not decide, the answer is open.',
  );
  const named = (name: string) => rows.find((row) => row.published === name)?.one;
  const [plain, tls, hybrid] = [named('plain'), named('TLS 1.2'), named('ECDH+AES-128-CBC')];
  if (!plain || !tls || !hybrid) {
    builder.note(
      'Gap: one of the three configurations was not run, so that the hypotheses are not answered.',
    );
    return;
  }
  const between: Pair[] = [
    [hybrid, plain],
    [tls, hybrid],
  ];
  const [h1, h2] = [[[tls, plain]] as Pair[], between].map((pairs) =>
    verdictOf(directionsOf(input, energy, pairs), 'above'),
  );
  const others = [
    { name: 'Plain', pair: [tls, plain] as Pair },
    { name: 'the hybrid', pair: [tls, hybrid] as Pair },
  ];
  const beaten = others.map(({ name, pair }) => {
    const both = [energy, latency].flatMap((metric) => directionsOf(input, metric, [pair]));
    return { name, verdict: verdictOf(both, 'above') };
  });
  const by = beaten.filter(({ verdict }) => verdict === 'holds').map(({ name }) => name);
  const h3 =
    by.length > 0
      ? `holds: ${by.join(' and ')} ${by.length > 1 ? 'are' : 'is'} better in both`
      : beaten.every(({ verdict }) => verdict === 'is refuted')
        ? 'is refuted: neither plain nor the hybrid is better in both'
        : 'stays open: no interval shows plain or the hybrid better in both';
  builder.list([
    `H1, cumulative energy under TLS 1.2 exceeds that of plain: ${h1}.`,
    `H2, that of the hybrid lies strictly between plain and TLS 1.2: ${h2}.`,
    `H3, TLS 1.2 is strictly dominated in mean latency and cumulative energy: ${h3}. Published latency of plain is a round trip, so that as printed only the hybrid is there to dominate.`,
  ]);
  builder.list(pairSentences(input, energy, [...([[tls, plain]] as Pair[]), ...between]));
  builder.list(pairSentences(input, latency, [[tls, hybrid]]));
}

/** TLS against the hybrid, as the study tests every pair: by block bootstrap, over runs, and as effect sizes. */
export function addTlsAgainstHybrid(
  builder: DocumentBuilder,
  context: StabilityContext,
  { variables }: Pick<ReportStability, 'variables'>,
): void {
  const known = new Set(context.report.treatments.map(({ key }) => key));
  const entries = variables.flatMap(({ label, unit, between = [] }) =>
    between
      .filter(({ treatment, baseline }) => known.has(treatment) && known.has(baseline))
      .map((contrast) => ({ label, unit, ...contrast })),
  );
  type Entry = StabilityContrast & { label: string; unit: string };
  const around = ({ difference }: Entry, lo: number | null, hi: number | null) =>
    lo === null ? NO_VALUE : intervalText({ value: difference, lo, hi }, { signed: true });
  builder.table(
    'TLS against payload encryption: differences and effect sizes',
    makeTable(entries, [
      { head: 'Response', of: ({ label, unit }) => `${label}, ${unit}` },
      { head: 'TLS', of: ({ treatment }) => context.name(treatment) },
      { head: 'Against', of: ({ baseline }) => context.name(baseline) },
      { head: 'Difference, block bootstrap', of: (one) => around(one, one.lo, one.hi) },
      { head: 'Over runs', of: (one) => around(one, one.runLo, one.runHi) },
      { head: 'Cohen’s d', format: formatNumber, of: ({ cohensD }) => cohensD },
      { head: 'Size', of: ({ cohensD }) => sizeWord(cohensD) },
    ]),
  );
}

/** Effect sizes of the cumulative energy, over runs: each has one. */
export function energyEffects(
  { treatments, flagged }: StudyInput,
  rows: readonly Configuration[],
): { name: string; mark: number; d: number | null }[] {
  const metric = findMetric(energy);
  const [plain, ...others] = rows.flatMap(({ name, one }) => (one ? [{ name, one }] : []));
  if (!metric || !plain) return [];
  const pairs = others.map(({ one }) => [one, plain.one] as const);
  return contrastTreatments({ treatments, metric, flagged, pairs, baselineId: '' }).map(
    ({ values }, index) => ({
      name: others[index]?.name ?? '',
      mark: others[index]?.one.treatment.mark ?? 1,
      d: standardisedDifference(values.treatment, values.baseline).cohensD,
    }),
  );
}
