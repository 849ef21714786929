import type { ComparedTreatment } from '../../../domain/runs/comparison.ts';
import { formatNumber } from '../../../format/number.ts';
import { pairSentences } from '../relative.ts';
import {
  measured,
  measuredCell,
  nameBy,
  type StudyInput,
  type StudySection,
  variedAmong,
} from '../study-input.ts';
import { addCipherBars, cipherLabelOf } from '../tls/cipher-bars.ts';
import {
  counters,
  counterTable,
  entropySentence,
  entropyTable,
  isCounted,
  isPublishedRun,
  printedOf,
  publisherRunTable,
} from './publisher-run-tables.ts';

const costs = [
  { head: 'Encryption', unit: 'µs', metric: 'encryption.mean' },
  { head: 'Decryption', unit: 'µs', metric: 'decryption.mean' },
  { head: 'CPU per message', unit: 'µs', metric: 'cpuPerMessage.publisher' },
  { head: 'Throughput', unit: 'bit/s', metric: 'rate.goodput' },
  { head: 'Memory', unit: 'MB', metric: 'memory.publisher.mean' },
  { head: 'Expansion', unit: '×', metric: 'payload.expansionRatio' },
  { head: 'Latency', unit: 'ms', metric: 'latency.mean' },
] as const;

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
    title: 'Throughput',
    metric: 'rate.goodput',
    ...perByte,
    caption:
      'Payload bytes that arrived, for each second. As the messages come on a schedule, their size and rate decide it; published: ChaCha20-Poly1305 at two messages a second.',
    publishedOf: (one) => (isPublishedRun(one) ? printedOf('throughput') : null),
  });
  addCipherBars(builder, input, {
    title: 'Encryption time at the publisher',
    metric: 'encryption.mean',
    unit: 'µs',
    caption: 'Mean of the cipher alone, by cipher and payload size.',
  });
  addCipherBars(
    builder,
    input,
    isCounted(input)
      ? {
          title: 'CPU cycles of the publisher',
          metric: counters[0].metric,
          unit: 'cycles',
          caption: 'While measuring, by cipher and payload size.',
          publishedOf: (one) => (isPublishedRun(one) ? printedOf('cycles') : null),
        }
      : {
          title: 'CPU time of the publisher for each message',
          unit: 'µs',
          metric: 'cpuPerMessage.publisher',
          caption: 'In place of cycles, which these devices do not count; by cipher and payload size.',
        },
  );
  builder.table('Cost of the payload ciphers', table);
  builder.table('One run of the publisher beside the published one', publisherRunTable(input));
  builder.table('Counters of the publisher while measuring', counterTable(input, name));
  if (!isCounted(input)) {
    builder.note('Gap: the devices gave no hardware counters; CPU time stands in for them.');
  }
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
  builder.paragraph(latencySentence(input));
  builder.paragraph(entropySentence());
};

/** "Always below 500 ms" is what the study says of its own. */
function latencySentence(input: StudyInput): string {
  const means = input.treatments.flatMap((one) => measured(input, one, 'latency.mean')?.value ?? []);
  if (means.length === 0) return '';
  const worst = Math.max(...means);
  return `Latency: published always below 500 ms, the bound for emergency e-health (monitoring of an ECG bears 1 s); here the highest mean is ${formatNumber(worst)} ms, ${worst < 500 ? 'below it as well' : 'above it'}.`;
}

function costTable(input: StudyInput, name: (one: ComparedTreatment) => string) {
  return {
    columns: [{ head: 'Cipher and payload' }, ...costs],
    rows: input.treatments.map((one) => [
      name(one),
      ...costs.map(({ metric }) => measuredCell(measured(input, one, metric))),
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
  builder.paragraph(latencySentence(input));
  builder.paragraph(
    'Protection: TLS alone ends at each broker, which reads and could alter every message. With a payload cipher the local broker sees ciphertext, and behind the bridge so does the cloud broker; only publisher, bridge and subscriber read. What the study measured of both is not among the figures that we have of it.',
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
