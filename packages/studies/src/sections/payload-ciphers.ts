import { runValues } from '@mqttlab/shared/analysis/run-values';
import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { payloadBytesOf } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ComparedTreatment } from '@mqttlab/shared/domain/runs/comparison';
import type { DocumentBuilder, DocumentTable } from '@mqttlab/shared/figures/document/blocks';
import { makeTable } from '@mqttlab/shared/figures/document/blocks';
import { drawBeside } from '@mqttlab/shared/figures/dots-figure';
import { formatFixed, formatNumber, NO_VALUE, plural } from '@mqttlab/shared/format/number';
import { metricsInWords } from '../hecs4mqtt/words.ts';
import { findPublished, publishedBeside } from '../published.ts';
import { addCostByBytes } from './cost-by-bytes.ts';
import {
  distinctBy,
  meanOf,
  measured,
  measuredCell,
  measuredColumns,
  measuredTable,
  type NameOf,
  nameBy,
  type Quantity,
  scaled,
} from './measured.ts';
import { leaderSentence } from './relative.ts';
import type { StudyInput, StudySection } from './study-input.ts';

export const costs: readonly Quantity[] = [
  { head: 'Encryption', unit: 'µs', metric: 'encryption.mean' },
  { head: 'Decryption', unit: 'µs', metric: 'decryption.mean' },
  { head: 'CPU per message', unit: 'µs', metric: 'cpuPerMessage.publisher' },
  { head: 'Goodput', unit: 'bit/s', metric: 'rate.goodput' },
  { head: 'Memory', unit: 'MB', metric: 'memory.publisher.mean' },
  { head: 'Expansion', unit: '×', metric: 'payload.expansionRatio' },
  { head: 'Latency', unit: 'ms', metric: 'latency.mean' },
];

const bridgeCosts: readonly Quantity[] = [
  { head: 'Verify and decrypt', unit: 'µs', metric: 'bridge.decryption.mean' },
  { head: 'Encrypt anew', unit: 'µs', metric: 'bridge.encryption.mean' },
  { head: 'CPU', unit: 'µs', metric: 'cpuPerMessage.bridge' },
  { head: 'CPU, cloud broker', unit: 'µs', metric: 'cpuPerMessage.cloud-broker' },
  { head: 'Forwarded', unit: 'messages', metric: 'bridge.forwarded' },
  { head: 'Rejected', unit: 'messages', metric: 'bridge.rejected' },
];

const counters: readonly Quantity[] = [
  { head: 'cycles', metric: 'perf.cycles.publisher' },
  { head: 'instructions', metric: 'perf.instructions.publisher' },
  { head: 'cache references', metric: 'perf.cacheReferences.publisher' },
  { head: 'cache misses', metric: 'perf.cacheMisses.publisher' },
];

interface CipherBars {
  title: string;
  caption: string;
  metric: string;
  unit: string;
  /** As the study calls it in what it prints. */
  printed?: string;
}

const throughput: CipherBars = {
  title: 'Throughput',
  metric: 'rate.encrypted',
  unit: 'B/s',
  caption:
    'Encrypted and encoded bytes that the publisher sent over elapsed time, as the study has it. As the messages come on a schedule, their size and rate decide it.',
  printed: 'throughput',
};

const encryptionTime: CipherBars = {
  title: 'Encryption time at the publisher',
  metric: 'encryption.mean',
  unit: 'µs',
  caption: 'Mean of the cipher alone, by cipher and payload size.',
};

const cycles: CipherBars = {
  title: 'CPU cycles of the publisher',
  metric: 'perf.cycles.publisher',
  unit: 'cycles',
  caption: 'While measuring, by cipher and payload size.',
  printed: 'cycles',
};

const cpuTime: CipherBars = {
  title: 'CPU time of the publisher for each message',
  unit: 'µs',
  metric: 'cpuPerMessage.publisher',
  caption: 'In place of cycles, which these devices do not count; by cipher and payload size.',
};

/** Cost of each cipher by payload size, counters, and the test of the ciphertext. */
export const payloadCiphers: StudySection = (input, builder) => {
  const has = (metric: string) => input.treatments.some((one) => measured(input, one, metric) !== null);
  const isCounted = has(cycles.metric);
  const nameOf: NameOf = (one) => `${cipherLabelOf(one)}, ${sizeOf(one)}`;
  const head = 'Cipher and payload';
  for (const bars of [throughput, encryptionTime, isCounted ? cycles : cpuTime]) {
    addCipherBars(builder, input, bars);
  }
  builder.table('Cost of the payload ciphers', measuredTable(input, { head, nameOf, quantities: costs }));
  addCostByBytes(builder, input);
  addPublisherRun(builder, input);
  if (isCounted) {
    const table = measuredTable(input, { nameOf, quantities: counters });
    builder.table('Counters of the publisher while measuring', table);
  } else {
    builder.note('Gap: the devices gave no hardware counters; CPU time stands in for them.');
  }
  builder.table(
    'Approximate entropy of the ciphertext (NIST SP 800-22), mean p',
    entropyTable(input, nameOf),
  );
  if (has('cpuPerMessage.bridge')) {
    const table = measuredTable(input, { head, nameOf, quantities: bridgeCosts });
    builder.table('What the bridge takes for each message', table);
  }
  builder.table('What the study evaluates, table 1, and where it is here', {
    columns: ['Metric', 'Its tool', 'Its layer', 'Here'].map((head) => ({ head })),
    rows: metricsInWords,
  });
  builder.heading('Agreement and difference');
  builder.paragraph(fastestSentence(input));
  builder.paragraph(latencySentence(input));
  builder.paragraph(entropySentence());
};

export function cipherLabelOf({ treatment }: ComparedTreatment): string {
  return findPayloadCipherDefinition(String(treatment.levels.payloadCipher))?.label ?? 'No payload cipher';
}

function sizeOf(one: ComparedTreatment): string {
  return nameBy(one, ['readingBytes']);
}

/** Bars grouped by cipher, one for each payload size, as the study draws them; with the same figures as a table. */
function addCipherBars(
  builder: DocumentBuilder,
  input: StudyInput,
  { title, caption, metric, unit, printed }: CipherBars,
): void {
  const rows = distinctBy(input.treatments, ['payloadCipher'])
    .flatMap(({ treatment: { levels } }) =>
      input.treatments.filter((one) => one.treatment.levels.payloadCipher === levels.payloadCipher),
    )
    .map((one) => ({
      one,
      found: measured(input, one, metric),
      published: printed === undefined ? null : printedOf(one, printed),
    }));
  builder.figure(title, caption, {
    picture: drawBeside({
      palette: input.palette,
      rows: rows.map(({ one, found, published }) => ({
        label: sizeOf(one),
        group: cipherLabelOf(one),
        published: published === null ? [] : [published],
        measured: found && { mark: one.treatment.mark, ...found },
      })),
      xLabel: unit,
      bars: true,
      label: `${title}, by cipher and payload size`,
    }),
    table: makeTable(rows, [
      { head: 'Cipher', of: ({ one }) => cipherLabelOf(one) },
      { head: 'Payload', of: ({ one }) => sizeOf(one) },
      { head: 'Published', unit, of: ({ published }) => published },
      { head: 'Measured', unit, of: ({ found }) => measuredCell(found) },
    ]),
  });
}

/** null where the study prints none, or none that may stand beside what was run. */
function printedOf({ treatment }: ComparedTreatment, metric: string): number | null {
  return publishedBeside(treatment, { study: 'hecs4mqtt', metric })?.value ?? null;
}

interface RunLine {
  head: string;
  unit: string;
  metric: string;
  /** What the measured or the printed number is multiplied by; `perRun` once for each message sent. */
  perRun?: number;
  printedScale?: number;
  /** Seconds of the run from messages a second. */
  isDuration?: true;
}

/** What the study prints of one run, line by line, with what comes nearest here. */
const runLines: readonly RunLine[] = [
  { head: 'elapsed', unit: 's', metric: 'rate.messages', isDuration: true },
  { head: 'task clock', unit: 'ms', metric: 'cpuPerMessage.publisher', perRun: 1e-3 },
  ...counters.map(({ head, metric }) => ({ head, metric, unit: '' })),
  { head: 'RSS', unit: 'MB', metric: 'memory.publisher.mean', printedScale: 1e-6 },
  { head: 'throughput', unit: 'B/s', metric: 'rate.encrypted' },
];

/** Only where the same was run; else its values stand among those that stand alone. */
function addPublisherRun(builder: DocumentBuilder, input: StudyInput): void {
  const one = input.treatments.find((treatment) => printedOf(treatment, 'task clock') !== null);
  if (!one) {
    builder.note(
      'The run that the study prints, ChaCha20-Poly1305 at about 5 KB and a message each 0.5 s, was not run here: its figures stand alone below.',
    );
    return;
  }
  const sent = meanOf(input, one, 'count.sent') ?? 0;
  const four = (value: number) => formatNumber(value, 4);
  const table = makeTable(runLines, [
    { head: `${cipherLabelOf(one)}, ${sizeOf(one)}, 100 messages`, of: ({ head }) => head },
    { head: 'Unit', of: ({ unit }) => unit },
    {
      head: 'Published',
      format: four,
      of: ({ head, printedScale = 1 }) => {
        const printed = printedOf(one, head);
        return printed === null ? null : printed * printedScale;
      },
    },
    {
      head: 'Measured',
      format: four,
      of: ({ metric, perRun, isDuration }) => {
        const found = measured(input, one, metric);
        if (isDuration) return found && sent > 0 ? sent / found.value : null;
        return measuredCell(scaled(found, perRun === undefined ? 1 : perRun * sent));
      },
    },
  ]);
  builder.table('One run of the publisher beside the published one', table);
}

function entropyTable(input: StudyInput, nameOf: NameOf): DocumentTable {
  const inP = { unit: 'p', format: formatNumber };
  return makeTable(
    input.treatments.map((one) => ({ one })),
    [
      { head: 'Cipher and payload', of: ({ one }) => nameOf(one) },
      { head: 'Published', ...inP, of: ({ one }) => printedOf(one, 'mean p') },
      ...measuredColumns(input, [
        { head: 'Measured', ...inP, metric: 'randomness.apEn.p' },
        { head: 'Passed at p > 0.01', ...inP, unit: '%', metric: 'randomness.apEn.passed' },
        { head: 'Behind the bridge', ...inP, metric: 'bridge.apEn.p' },
      ]),
      { head: 'Run by run', of: ({ one }) => entropyRounds(input, one) },
    ],
  );
}

/** As the study prints rounds: the mean p of each run. */
function entropyRounds({ flagged }: StudyInput, one: ComparedTreatment): string {
  const values = runValues(one, { metric: 'randomness.apEn.p', flagged });
  return values.map(({ value }) => formatFixed(value, 3)).join(', ') || NO_VALUE;
}

function fastestSentence(input: StudyInput): string {
  const smallest = Math.min(...input.treatments.map(({ treatment }) => payloadBytesOf(treatment.spec)));
  const treatments = input.treatments.filter(({ treatment }) => payloadBytesOf(treatment.spec) === smallest);
  const sentence = leaderSentence(input, {
    metric: 'encryption.mean',
    first: 'lowest',
    treatments,
    nameOf: cipherLabelOf,
  });
  if (sentence === '') return '';
  return `At the smallest payload. ${sentence} The study found the highest throughput with Salsa20 and BLAKE2b, and the highest encryption time with EAX. Ciphers here are native where OpenSSL has them and JavaScript or WebAssembly where it does not.`;
}

/** Milliseconds; the bound of the study for emergency applications. */
const emergencyMs = 500;

/** The study says that every single latency was below its bound: the slowest message of any run answers that. */
export function latencySentence(input: StudyInput): string {
  const slowest = input.treatments.flatMap((one) =>
    runValues(one, { metric: 'latency.max', flagged: input.flagged }).map(({ value }) => value),
  );
  const published = `Latency: published is that every latency was below ${emergencyMs} ms, the bound for emergency e-health (monitoring of an ECG tolerates 1 s)`;
  if (slowest.length === 0) return `${published}. No run that counts has a highest latency here.`;
  const worst = Math.max(...slowest);
  return `${published}. Here the slowest message of ${plural(slowest.length, 'run')} took ${formatNumber(worst)} ms, which is ${worst < emergencyMs ? 'below it as well' : 'not below it'}.`;
}

/** Rounds of one scheme as printed, and what a mean p can tell. */
function entropySentence(): string {
  const rounds = findPublished({ study: 'hecs4mqtt', table: 'approximate-entropy-rounds' });
  const printed = rounds.map(({ value }) => String(value)).join(', ');
  return `Entropy: the p of a good cipher is spread evenly from 0 to 1, so that its mean over many messages lies near 0.5 and 99 % of them pass. The study prints means of a few rounds (of Salsa20-BLAKE2b ${printed}), which chance puts anywhere: that one mean is higher than another says nothing of either cipher.`;
}
