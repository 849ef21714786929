import { findPayloadCipherDefinition } from '../../catalogue/payload-ciphers.ts';
import { findPublished, publishedNumber } from '../../catalogue/protocols/published.ts';
import type { ComparedTreatment } from '../../domain/comparison.ts';
import { formatNumber } from '../../format/number.ts';
import { figureWidth } from '../treatments.ts';
import { drawBeside } from './draw-beside.ts';
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

function labelOf({ treatment }: ComparedTreatment): string {
  return findPayloadCipherDefinition(String(treatment.levels.payloadCipher))?.label ?? 'No payload cipher';
}

/** Cost of each cipher by payload size, counters, and the test of the ciphertext. */
export const payloadCiphersTable: StudySection = (input, builder) => {
  const name = (one: ComparedTreatment) => `${labelOf(one)}, ${nameBy(one, ['readingBytes'])}`;
  const table = costTable(input, name);
  builder.figure(
    'Encryption time at the publisher',
    'Mean of the cipher alone, by cipher and payload size.',
    {
      picture: drawBeside({
        palette: input.palette,
        rows: input.treatments.map((one) => {
          const found = measured(input, one, 'encryption.mean');
          const tip = `${name(one)}: ${formatNumber(found?.value ?? Number.NaN)} µs`;
          return {
            label: name(one),
            published: [],
            measured: found ? [{ mark: one.treatment.mark, ...found, tip }] : [],
          };
        }),
        xLabel: 'µs',
        isLog: true,
        width: figureWidth,
        label: 'Encryption time by cipher and payload size',
      }),
      table,
    },
  );
  builder.table('Cost of the payload ciphers', table);
  builder.table('Counters of the publisher while measuring', counterTable(input, name));
  const isCounted = input.treatments.some((one) => measured(input, one, counters[0].metric) !== null);
  if (!isCounted) builder.note('Gap: the devices gave no hardware counters; CPU time stands in for them.');
  builder.table('Approximate entropy of the ciphertext (NIST SP 800-22), mean p', entropyTable(input, name));
  builder.heading('Agreement and difference');
  const small = input.treatments.filter(
    ({ treatment }) => treatment.levels.readingBytes === input.treatments[0]?.treatment.levels.readingBytes,
  );
  const ranked = small
    .flatMap((one) => {
      const found = measured(input, one, 'encryption.mean');
      return found ? [{ name: labelOf(one), value: found.value }] : [];
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
    ],
    rows: input.treatments.map((one) => [
      name(one),
      printed.find(({ treatment }) => treatment === published[String(one.treatment.levels.payloadCipher)])
        ?.value ?? null,
      measuredCell(measured(input, one, 'randomness.apEn.p')),
      measuredCell(measured(input, one, 'randomness.apEn.passed')),
    ]),
  };
}

/** What a payload cipher adds to TLS, and to plain MQTT. */
export const layeredTable: StudySection = (input, builder) => {
  const varied = variedAmong(input.treatments, ['readingBytes']);
  const name = (one: ComparedTreatment) =>
    [nameBy(one, ['security']), labelOf(one), ...(varied.length > 0 ? [nameBy(one, varied)] : [])].join(', ');
  builder.table('Layered against TLS only', costTable(input, name));
  builder.heading('Agreement and difference');
  const pairs = input.treatments.flatMap((one) => {
    const { security, readingBytes, payloadCipher } = one.treatment.levels;
    const alone = input.treatments.find(
      ({ treatment: { levels } }) =>
        levels.security === security &&
        levels.readingBytes === readingBytes &&
        levels.payloadCipher === 'none',
    );
    return alone && payloadCipher !== 'none' ? [[one, alone] as const] : [];
  });
  builder.list(pairSentences(input, 'latency.mean', pairs));
  builder.list(pairSentences(input, 'cpuPerMessage.publisher', pairs));
  builder.paragraph(
    'The published bound for emergency e-health is 500 ms; every mean above that would break it.',
  );
};
