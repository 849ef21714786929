import { alpha, contrastTreatments } from '@mqttlab/shared/analysis/contrasts';
import { isClear } from '@mqttlab/shared/analysis/result';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import type { ReportStability, StabilityContrast } from '@mqttlab/shared/domain/report/report-stability';
import type { DocumentBuilder } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { intervalText } from '@mqttlab/shared/figures/document/words';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { standardisedDifference } from '@mqttlab/shared/statistics/comparisons/effect-size';
import { adjustHolm } from '@mqttlab/shared/statistics/comparisons/multiple-testing';
import { type Pair, pairSentences } from '../relative.ts';
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

/**
 * Returns what the runs say of "better in both responses" for each alternative. Both intervals of an alternative have
 * to decide, so that its p-value is the larger of the two (intersection-union test). One alternative is enough for the
 * hypothesis, so that these p-values are adjusted over the alternatives (Holm). An alternative is refuted if one of its
 * responses is resolved the other way round after Holm over both.
 */
function judgeDominance(
  { treatments, flagged }: StudyInput,
  pairs: readonly Pair[],
  metricIds: readonly string[],
): ('holds' | 'is refuted' | 'stays open')[] {
  const found = pairs.map((pair) =>
    metricIds.flatMap((id) => {
      const metric = findMetric(id);
      if (!metric) return [];
      return contrastTreatments({ treatments, metric, flagged, pairs: [pair], baselineId: '' }).map(
        (contrast) => {
          const equal = contrast.scale === 'ratio' ? 1 : 0;
          const { lo, hi, value, p, outcome } = contrast;
          const isExact = outcome === 'exact';
          return {
            // Without a test nothing is decided; an exact difference is.
            p: isExact ? 0 : (p ?? 1),
            isAbove: isExact ? (value ?? equal) > equal : lo !== null && lo > equal,
            isBelow: isExact ? (value ?? equal) < equal : hi !== null && hi < equal,
          };
        },
      );
    }),
  );
  const holds = adjustHolm(
    found.map((both) =>
      both.length === metricIds.length && both.every(({ isAbove }) => isAbove)
        ? Math.max(...both.map(({ p }) => p))
        : 1,
    ),
  );
  return found.map((both, index) => {
    if ((holds[index] ?? 1) < alpha) return 'holds';
    const adjusted = adjustHolm(both.map(({ p }) => p));
    const isRefuted = both.some(({ isBelow }, at) => isBelow && (adjusted[at] ?? 1) < alpha);
    return isRefuted ? 'is refuted' : 'stays open';
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
    'As published all three hold. Here each is answered from the runs of the same configurations, with p-values adjusted by Holm: H1 and H2 over their pairs, H3 over its two alternatives, of which each takes the larger p-value of its two responses. An answer is open if the runs do not decide.',
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
  const verdicts = judgeDominance(
    input,
    others.map(({ pair }) => pair),
    [energy, latency],
  );
  const beaten = others.map(({ name }, index) => ({ name, verdict: verdicts[index] }));
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
