import { findPublished, publishedNumber } from '../../../catalogue/studies/published.ts';
import type { ComparedTreatment } from '../../../domain/runs/comparison.ts';
import { formatFixed, formatNumber } from '../../../format/number.ts';
import { measured, measuredCell, type StudyInput } from '../study-input.ts';

const three = (value: number) => formatNumber(value);

/** The study's names of schemes, with what comes nearest here. */
const published: Readonly<Record<string, string>> = {
  'aes-256-ccm-8': 'AES-CCM8',
  'aes-256-eax': 'AES-EAX',
  'aes-256-gcm': 'AES-GCM',
  'aes-128-ctr-hmac-sha256': 'TinyAES',
  'salsa20-blake2b': 'Salsa20-BLAKE2b',
};

/** The study prints one run: ChaCha20-Poly1305 at its smallest payload. */
export function isPublishedRun({ treatment: { levels } }: ComparedTreatment): boolean {
  return levels.payloadCipher === 'chacha20-poly1305' && levels.readingBytes === 1024;
}

export function printedOf(metric: string): number | null {
  const treatment = 'ChaCha20-Poly1305 100 messages';
  return publishedNumber({ study: 'hecs4mqtt', table: 'publisher-run', metric, treatment });
}

/** perf stat of one run, line by line, with what comes nearest here. */
const runLines = [
  { head: 'elapsed', unit: 's', metric: 'rate.messages', turned: true },
  { head: 'task clock', unit: 'ms', metric: 'cpuPerMessage.publisher', perRun: 1e-3 },
  { head: 'cycles', unit: '', metric: 'perf.cycles.publisher' },
  { head: 'instructions', unit: '', metric: 'perf.instructions.publisher' },
  { head: 'cache references', unit: '', metric: 'perf.cacheReferences.publisher' },
  { head: 'cache misses', unit: '', metric: 'perf.cacheMisses.publisher' },
  { head: 'RSS', unit: 'MB', metric: 'memory.publisher.mean', printed: 1e-6 },
  { head: 'throughput', unit: 'B/s', metric: 'rate.goodput', scale: 1 / 8 },
] as const;

export function publisherRunTable(input: StudyInput) {
  const one = input.treatments.find(isPublishedRun);
  const sent = one ? (measured(input, one, 'count.sent')?.value ?? 0) : 0;
  return {
    columns: [
      { head: 'ChaCha20-Poly1305, 100 messages' },
      { head: 'Unit' },
      { head: 'Published', format: (value: number) => formatNumber(value, 4) },
      { head: 'Measured', format: (value: number) => formatNumber(value, 4) },
    ],
    rows: runLines.map((line) => {
      const scale = 'perRun' in line ? line.perRun * sent : 'scale' in line ? line.scale : 1;
      const printed = printedOf(line.head);
      const found = one ? measured(input, one, line.metric) : null;
      return [
        line.head,
        line.unit,
        printed === null ? null : printed * ('printed' in line ? line.printed : 1),
        'turned' in line ? (found && sent > 0 ? sent / found.value : null) : measuredCell(found, scale),
      ];
    }),
  };
}

export const counters = [
  { head: 'cycles', metric: 'perf.cycles.publisher' },
  { head: 'instructions', metric: 'perf.instructions.publisher' },
  { head: 'cache references', metric: 'perf.cacheReferences.publisher' },
  { head: 'cache misses', metric: 'perf.cacheMisses.publisher' },
] as const;

export function isCounted(input: StudyInput): boolean {
  return input.treatments.some((one) => measured(input, one, counters[0].metric) !== null);
}

export function counterTable(input: StudyInput, name: (one: ComparedTreatment) => string) {
  const printed = counters.map(({ head }) =>
    publishedNumber({
      study: 'hecs4mqtt',
      table: 'publisher-run',
      metric: head,
      treatment: 'ChaCha20-Poly1305 100 messages',
    }),
  );
  return {
    columns: [{ head: 'Configuration' }, ...counters.map(({ head }) => ({ head }))],
    rows: [
      ['Published: ChaCha20-Poly1305, 100 messages', ...printed],
      // Where the devices count nothing, a table of dashes would say no more than one line.
      ...(isCounted(input) ? input.treatments : []).map((one) => [
        name(one),
        ...counters.map(({ metric }) => measuredCell(measured(input, one, metric))),
      ]),
    ],
  };
}

export function entropyTable(input: StudyInput, name: (one: ComparedTreatment) => string) {
  const printed = findPublished({ study: 'hecs4mqtt', table: 'approximate-entropy' });
  return {
    columns: [
      { head: 'Cipher and payload' },
      { head: 'Published', unit: 'p', format: three },
      { head: 'Measured', unit: 'p', format: three },
      { head: 'Passed at p > 0.01', unit: '%', format: three },
      { head: 'Behind the bridge', unit: 'p', format: three },
    ],
    rows: input.treatments.map((one) => [
      name(one),
      printed.find(({ treatment }) => treatment === published[String(one.treatment.levels.payloadCipher)])
        ?.value ?? null,
      measuredCell(measured(input, one, 'randomness.apEn.p')),
      measuredCell(measured(input, one, 'randomness.apEn.passed')),
      measuredCell(measured(input, one, 'bridge.apEn.p')),
    ]),
  };
}

/** Rounds of one scheme as printed, and what a mean p can tell. */
export function entropySentence(): string {
  const rounds = findPublished({ study: 'hecs4mqtt', table: 'approximate-entropy-rounds' });
  const printed = rounds.map(({ value }) => formatFixed(value, 3)).join(', ');
  return `Entropy: the p of a good cipher is spread evenly from 0 to 1, so that its mean over many messages lies near 0.5 and 99 % of them pass. The study prints means of a few rounds (of Salsa20-BLAKE2b ${printed}), which chance puts anywhere: that one mean is higher than another says nothing of either cipher.`;
}
