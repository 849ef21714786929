import { findPublished, publishedNumber } from '../../catalogue/protocols/published.ts';
import type { ComparedTreatment } from '../../domain/comparison.ts';
import { formatNumber } from '../../format/number.ts';
import { addCipherBars, cipherLabelOf } from './cipher-bars.ts';
import { pairSentences } from './relative.ts';
import {
  measured,
  measuredCell,
  nameBy,
  type StudyInput,
  type StudySection,
  variedAmong,
} from './study-input.ts';

/** The study's names of schemes, with what comes nearest here. */
const published: Readonly<Record<string, string>> = {
  'aes-256-ccm-8': 'AES-CCM8',
  'aes-256-eax': 'AES-EAX',
  'aes-256-gcm': 'AES-GCM',
  'aes-128-ctr-hmac-sha256': 'TinyAES',
  'salsa20-blake2b': 'Salsa20-BLAKE2b',
};

const costs = [
  { head: 'Encryption', unit: 'µs', metric: 'encryption.mean' },
  { head: 'Decryption', unit: 'µs', metric: 'decryption.mean' },
  { head: 'CPU per message', unit: 'µs', metric: 'cpuPerMessage.publisher' },
  { head: 'Throughput', unit: 'bit/s', metric: 'rate.goodput' },
  { head: 'Memory', unit: 'MB', metric: 'memory.publisher.mean' },
  { head: 'Expansion', unit: '×', metric: 'payload.expansionRatio' },
  { head: 'Latency', unit: 'ms', metric: 'latency.mean' },
] as const;

/** The study prints one run: ChaCha20-Poly1305 at its smallest payload. */
function isPublishedRun({ treatment: { levels } }: ComparedTreatment): boolean {
  return levels.payloadCipher === 'chacha20-poly1305' && levels.readingBytes === 1024;
}

function printedOf(metric: string): number | null {
  const treatment = 'ChaCha20-Poly1305 100 messages';
  return publishedNumber({ study: 'hecs4mqtt', table: 'publisher-run', metric, treatment });
}

/** perf stat of one run, line by line, with what comes nearest here. */
const runLines = [
  { head: 'task clock', unit: 'ms', metric: 'cpuPerMessage.publisher', perRun: 1e-3 },
  { head: 'cycles', unit: '', metric: 'perf.cycles.publisher' },
  { head: 'instructions', unit: '', metric: 'perf.instructions.publisher' },
  { head: 'cache references', unit: '', metric: 'perf.cacheReferences.publisher' },
  { head: 'cache misses', unit: '', metric: 'perf.cacheMisses.publisher' },
  { head: 'RSS', unit: 'MB', metric: 'memory.publisher.mean', printed: 1e-6 },
  { head: 'throughput', unit: 'B/s', metric: 'rate.goodput', scale: 1 / 8 },
] as const;

function publisherRunTable(input: StudyInput) {
  const one = input.treatments.find(isPublishedRun);
  const sent = one ? (measured(input, one, 'count.sent')?.value ?? 0) : 0;
  return {
    columns: [
      { head: 'ChaCha20-Poly1305, 100 messages' },
      { head: 'Unit' },
      { head: 'Published' },
      { head: 'Measured' },
    ],
    rows: runLines.map((line) => {
      const scale = 'perRun' in line ? line.perRun * sent : 'scale' in line ? line.scale : 1;
      const printed = printedOf(line.head);
      return [
        line.head,
        line.unit,
        printed === null ? null : printed * ('printed' in line ? line.printed : 1),
        one ? measuredCell(measured(input, one, line.metric), scale) : null,
      ];
    }),
  };
}

const bridgeCosts = [
  { head: 'Verify and decrypt', unit: 'µs', metric: 'bridge.decryption.mean' },
  { head: 'Encrypt anew', unit: 'µs', metric: 'bridge.encryption.mean' },
  { head: 'CPU', unit: 'µs', metric: 'cpuPerMessage.bridge' },
  { head: 'CPU, cloud broker', unit: 'µs', metric: 'cpuPerMessage.cloud-broker' },
  { head: 'Forwarded', unit: 'messages', metric: 'bridge.forwarded' },
  { head: 'Rejected', unit: 'messages', metric: 'bridge.rejected' },
] as const;

function bridgeTable(input: StudyInput, name: (one: ComparedTreatment) => string) {
  return {
    columns: [{ head: 'Cipher and payload' }, ...bridgeCosts.map(({ head, unit }) => ({ head, unit }))],
    rows: input.treatments.map((one) => [
      name(one),
      ...bridgeCosts.map(({ metric }) => measuredCell(measured(input, one, metric))),
    ]),
  };
}

/** Cost of each cipher by payload size, counters, and the test of the ciphertext. */
export const payloadCiphersTable: StudySection = (input, builder) => {
  const name = (one: ComparedTreatment) => `${cipherLabelOf(one)}, ${nameBy(one, ['readingBytes'])}`;
  const table = costTable(input, name);
  const perByte = { unit: 'B/s', scale: 1 / 8 };
  addCipherBars(builder, input, {
    ...{ title: 'Throughput', metric: 'rate.goodput', ...perByte },
    caption:
      'Payload bytes that arrived, for each second. As the messages come on a schedule, their size and rate decide it; published: ChaCha20-Poly1305 at two messages a second.',
    publishedOf: (one) => (isPublishedRun(one) ? printedOf('throughput') : null),
  });
  addCipherBars(builder, input, {
    ...{ title: 'Encryption time at the publisher', metric: 'encryption.mean', unit: 'µs' },
    caption: 'Mean of the cipher alone, by cipher and payload size.',
  });
  const isCounted = input.treatments.some((one) => measured(input, one, counters[0].metric) !== null);
  addCipherBars(
    builder,
    input,
    isCounted
      ? {
          ...{ title: 'CPU cycles of the publisher', metric: counters[0].metric, unit: 'cycles' },
          caption: 'While measuring, by cipher and payload size.',
          publishedOf: (one) => (isPublishedRun(one) ? printedOf('cycles') : null),
        }
      : {
          ...{ title: 'CPU time of the publisher for each message', unit: 'µs' },
          metric: 'cpuPerMessage.publisher',
          caption: 'In place of cycles, which these devices do not count; by cipher and payload size.',
        },
  );
  builder.table('Cost of the payload ciphers', table);
  builder.table('One run of the publisher beside the published one', publisherRunTable(input));
  builder.table('Counters of the publisher while measuring', counterTable(input, name));
  if (!isCounted) builder.note('Gap: the devices gave no hardware counters; CPU time stands in for them.');
  builder.table('Approximate entropy of the ciphertext (NIST SP 800-22), mean p', entropyTable(input, name));
  if (input.treatments.some((one) => measured(input, one, 'cpuPerMessage.bridge') !== null)) {
    builder.table('What the bridge takes for each message', bridgeTable(input, name));
  }
  builder.heading('Agreement and difference');
  const small = input.treatments.filter(
    ({ treatment }) => treatment.levels.readingBytes === input.treatments[0]?.treatment.levels.readingBytes,
  );
  const ranked = small
    .flatMap((one) => {
      const found = measured(input, one, 'encryption.mean');
      return found ? [{ name: cipherLabelOf(one), value: found.value }] : [];
    })
    .sort((a, b) => a.value - b.value);
  const [first, last] = [ranked[0], ranked.at(-1)];
  if (first && last && first !== last) {
    builder.paragraph(
      `At the smallest payload ${first.name} encrypts fastest (${formatNumber(first.value)} µs), ${last.name} slowest (${formatNumber(last.value)} µs). The study found the highest throughput with Salsa20 and BLAKE2b, and the highest encryption time with EAX. Ciphers here are native where OpenSSL has them and JavaScript or WebAssembly where it does not.`,
    );
  }
};

function costTable(input: StudyInput, name: (one: ComparedTreatment) => string) {
  return {
    columns: [{ head: 'Cipher and payload' }, ...costs],
    rows: input.treatments.map((one) => [
      name(one),
      ...costs.map(({ metric }) => measuredCell(measured(input, one, metric))),
    ]),
  };
}

const counters = [
  { head: 'cycles', metric: 'perf.cycles.publisher' },
  { head: 'instructions', metric: 'perf.instructions.publisher' },
  { head: 'cache references', metric: 'perf.cacheReferences.publisher' },
  { head: 'cache misses', metric: 'perf.cacheMisses.publisher' },
] as const;

function counterTable(input: StudyInput, name: (one: ComparedTreatment) => string) {
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
      ...input.treatments.map((one) => [
        name(one),
        ...counters.map(({ metric }) => measuredCell(measured(input, one, metric))),
      ]),
    ],
  };
}

function entropyTable(input: StudyInput, name: (one: ComparedTreatment) => string) {
  const printed = findPublished({ study: 'hecs4mqtt', table: 'approximate-entropy' });
  return {
    columns: [
      { head: 'Cipher and payload' },
      { head: 'Published', unit: 'p' },
      { head: 'Measured', unit: 'p' },
      { head: 'Passed', unit: '%' },
      { head: 'Behind the bridge', unit: 'p' },
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

/** What a payload cipher and a bridge add to TLS, which the brokers can read. */
export const layeredTable: StudySection = (input, builder) => {
  const varied = variedAmong(input.treatments, ['readingBytes']);
  const topology = variedAmong(input.treatments, ['topology']);
  const name = (one: ComparedTreatment) =>
    [
      nameBy(one, [...topology, 'security']),
      cipherLabelOf(one),
      ...(varied.length > 0 ? [nameBy(one, varied)] : []),
    ].join(', ');
  builder.table('Layered against TLS only', costTable(input, name));
  builder.table('CPU time for each message, device by device', {
    columns: [{ head: 'Configuration' }, ...devices.map(({ head }) => ({ head, unit: 'µs' }))],
    rows: input.treatments.map((one) => [
      name(one),
      ...devices.map(({ metric }) => measuredCell(measured(input, one, metric))),
    ]),
  });
  builder.heading('Agreement and difference');
  const pairs = input.treatments.flatMap((one) => {
    const alone = input.treatments.find((other) => isTlsOnlyBeside(other, one));
    return alone && one.treatment.levels.payloadCipher !== 'none' ? [[one, alone] as const] : [];
  });
  builder.list(pairSentences(input, 'latency.mean', pairs));
  builder.list(pairSentences(input, 'cpuPerMessage.publisher', pairs));
  builder.paragraph(
    'The published bound for emergency e-health is 500 ms; every mean above that would break it.',
  );
};

const devices = [
  { head: 'Publisher', metric: 'cpuPerMessage.publisher' },
  { head: 'Local broker', metric: 'cpuPerMessage.broker' },
  { head: 'Bridge', metric: 'cpuPerMessage.bridge' },
  { head: 'Cloud broker', metric: 'cpuPerMessage.cloud-broker' },
  { head: 'Subscriber', metric: 'cpuPerMessage.subscriber' },
] as const;

/** TLS from end to end, with no payload cipher. */
function isTlsOnlyBeside(other: ComparedTreatment, one: ComparedTreatment): boolean {
  const { levels } = other.treatment;
  return (
    levels.topology !== 're-encrypting bridge' &&
    levels.security !== 'plain' &&
    levels.payloadCipher === 'none' &&
    levels.readingBytes === one.treatment.levels.readingBytes
  );
}
