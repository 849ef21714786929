import type { Derived } from '@mqttlab/shared/analysis/claims/claim';
import { runValues } from '@mqttlab/shared/analysis/run-values';
import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { payloadBytesOf } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import { distinctBy, meanOf, measured } from '@mqttlab/shared/figures/blocks/measured';
import { type DocumentTable, makeTable } from '@mqttlab/shared/figures/document/blocks';
import { intervalText } from '@mqttlab/shared/figures/document/words';
import { formatNumber, NO_VALUE } from '@mqttlab/shared/format/number';
import { tTwoSidedQuantile } from '@mqttlab/shared/statistics/distributions/normal';
import { fitLine, type LinearFit } from '@mqttlab/shared/statistics/estimates/linear-fit';
import type { StudyInput } from '../page/input.ts';
import { publishedBeside } from '../published.ts';

/** Time of a run from the rate and the number of its messages. */
export const elapsed: Derived = {
  label: 'elapsed time',
  unit: 's',
  kind: 'positive',
  metrics: ['count.sent', 'rate.messages'],
  of: ([sent, rate]) => (sent === undefined || !rate ? null : sent / rate),
};

function cipherOf({ treatment }: ComparedTreatment) {
  return findPayloadCipherDefinition(String(treatment.levels.payloadCipher));
}

const nsPerUs = 1000;

/** The time of a cipher by a line through the payload sizes: what each message costs, and what each byte. */
export function costByBytes({ treatments, flagged }: StudyInput): DocumentTable | null {
  const lines = distinctBy(treatments, ['payloadCipher']).flatMap((one) => {
    const cipher = cipherOf(one);
    const points = treatments
      .filter(({ treatment }) => treatment.levels.payloadCipher === one.treatment.levels.payloadCipher)
      .flatMap((same) =>
        runValues(same, { metric: 'encryption.mean', flagged }).map(({ value }) => ({
          x: payloadBytesOf(same.treatment.spec),
          y: value,
        })),
      );
    const fit = fitLine(
      points.map(({ x }) => x),
      points.map(({ y }) => y),
    );
    return cipher && fit ? [{ cipher, fit }] : [];
  });
  if (lines.length === 0) return null;
  return makeTable(lines, [
    { head: 'Cipher', of: ({ cipher }) => cipher.label },
    { head: 'Code', of: ({ cipher }) => cipher.implementation },
    {
      head: 'Each message',
      unit: 'µs',
      isFigures: true,
      of: ({ fit }) => around(fit.intercept, fit.seIntercept, fit),
    },
    {
      head: 'Each byte',
      unit: 'ns',
      isFigures: true,
      of: ({ fit }) => around(fit.slope * nsPerUs, fit.seSlope * nsPerUs, fit),
    },
    { head: 'R²', format: (value) => formatNumber(value, 2), of: ({ fit }) => fit.r2 },
  ]);
}

function around(value: number, se: number, { df }: LinearFit): string {
  const half = tTwoSidedQuantile(0.05, df) * se;
  return intervalText({ value, lo: value - half, hi: value + half });
}

interface RunLine {
  head: string;
  unit: string;
  measure: string | Derived;
  scale?: number;
  printedScale?: number;
}

/** The lines of the printed run, and the nearest responses here. */
const runLines: readonly RunLine[] = [
  { head: 'elapsed', unit: 's', measure: elapsed },
  {
    head: 'task clock',
    unit: 'ms',
    measure: {
      label: 'CPU time',
      unit: 'µs',
      kind: 'positive',
      metrics: ['cpuPerMessage.publisher', 'count.sent'],
      of: ([cpu, sent]) => (cpu === undefined || sent === undefined ? null : cpu * sent),
    },
    scale: 1e-3,
  },
  { head: 'cycles', unit: '', measure: 'perf.cycles.publisher' },
  { head: 'instructions', unit: '', measure: 'perf.instructions.publisher' },
  { head: 'cache references', unit: '', measure: 'perf.cacheReferences.publisher' },
  { head: 'cache misses', unit: '', measure: 'perf.cacheMisses.publisher' },
  { head: 'RSS', unit: 'MB', measure: 'memory.publisher.mean', printedScale: 1e-6 },
  { head: 'throughput', unit: 'B/s', measure: 'rate.encrypted' },
];

/** The one run that the study prints, next to ours; null if the same was not run. */
export function printedRun(input: StudyInput): DocumentTable | null {
  const printed = (one: ComparedTreatment, metric: string) =>
    publishedBeside(one.treatment, { study: 'hecs4mqtt', table: 'publisher-run', metric })?.value ?? null;
  const one = input.treatments.find((treatment) => printed(treatment, 'task clock') !== null);
  if (!one) return null;
  const four = (value: number) => formatNumber(value, 4);
  return makeTable(runLines, [
    { head: 'ChaCha20-Poly1305, 100 messages', of: ({ head }) => head },
    { head: 'Unit', of: ({ unit }) => unit },
    {
      head: 'Published',
      format: four,
      of: ({ head, printedScale = 1 }) => {
        const value = printed(one, head);
        return value === null ? null : value * printedScale;
      },
    },
    {
      head: 'Measured',
      format: four,
      of: ({ measure, scale }) => measured(input, one, measure, scale)?.value ?? null,
    },
  ]);
}

/** Mean p of each run, as the study prints its rounds, and the share that passes. */
export function entropyTable(input: StudyInput): DocumentTable | null {
  const rows = distinctBy(input.treatments, ['payloadCipher']).flatMap((one) => {
    const own = input.treatments.filter(
      ({ treatment }) => treatment.levels.payloadCipher === one.treatment.levels.payloadCipher,
    );
    const values = own.flatMap((same) =>
      runValues(same, { metric: 'randomness.apEn.p', flagged: input.flagged }),
    );
    const passed = own.flatMap((same) => meanOf(input, same, 'randomness.apEn.passed') ?? []);
    return values.length === 0 ? [] : [{ one, own, values: values.map(({ value }) => value), passed }];
  });
  if (rows.length === 0) return null;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return makeTable(rows, [
    { head: 'Cipher', of: ({ one }) => cipherOf(one)?.label ?? NO_VALUE },
    {
      head: 'Mean p, published',
      of: ({ own }) =>
        own.flatMap(
          ({ treatment }) =>
            publishedBeside(treatment, { study: 'hecs4mqtt', table: 'approximate-entropy' })?.value ?? [],
        )[0] ?? null,
    },
    { head: 'Mean p', format: formatNumber, of: ({ values }) => mean(values) },
    { head: 'Lowest run', format: formatNumber, of: ({ values }) => Math.min(...values) },
    { head: 'Highest run', format: formatNumber, of: ({ values }) => Math.max(...values) },
    {
      head: 'Messages at p > 0.01',
      unit: '%',
      format: formatNumber,
      of: ({ passed }) => (passed.length > 0 ? mean(passed) : null),
    },
  ]);
}

/** What the bridge let through, by cipher. */
export function tamperLog({ treatments, flagged }: StudyInput): DocumentTable | null {
  const sum = (one: ComparedTreatment, metric: string) =>
    runValues(one, { metric, flagged }).reduce((total, { value }) => total + value, 0);
  const rows = treatments.filter((one) => sum(one, 'count.altered') > 0);
  if (rows.length === 0) return null;
  const column = (head: string, metric: string) => ({
    head,
    unit: 'messages',
    of: (one: ComparedTreatment) => sum(one, metric),
  });
  return makeTable(rows, [
    { head: 'Cipher', of: (one) => cipherOf(one)?.label ?? NO_VALUE },
    { head: 'Runs', of: ({ runs }) => runs.length },
    column('Sent', 'count.sent'),
    column('Altered', 'count.altered'),
    column('Rejected', 'bridge.rejected'),
    column('Arrived', 'count.received'),
  ]);
}

function inWords(heads: readonly string[], rows: DocumentTable['rows']): () => DocumentTable {
  return () => ({ columns: heads.map((head) => ({ head })), rows });
}

/** Its table 1 (lines 268 to 276) with its expected results, and the claim that answers each here. */
export const expectations = inWords(
  ['Metric', 'Its tool', 'Its layer', 'Expected result', 'Here'],
  [
    [
      'Confidentiality',
      'NIST STS, Wireshark',
      'edge and cloud',
      'high entropy, secure ciphertext',
      'H6; packets in part d',
    ],
    ['Integrity', 'altered HMAC, TLS', 'edge and cloud', 'tampering is detected', 'H7'],
    ['A broker taken over', 'payload capture', 'cloud broker', 'data unreadable, the MAC fails', 'H8'],
    ['CPU', 'perf, psutil', 'publisher', 'Salsa20-BLAKE2b better than the others', 'H1, H4'],
    ['Encryption time', 'perf, psutil', 'publisher', 'Salsa20-BLAKE2b better than the others', 'H2'],
    ['Throughput', 'perf, psutil', 'publisher', 'Salsa20-BLAKE2b better than the others', 'H1'],
  ],
);
