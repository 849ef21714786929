import { payloadBytesOf } from '../../domain/plans/trial-spec.ts';
import type { HistogramName, Randomness } from '../../domain/runs/role-result.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { countOf, phaseOf, ratioOf, resultOf, resultsOf } from '../evidence/evidence.ts';
import { messagesArrived, messagesSent } from '../evidence/throughput-evidence.ts';

type Work = Extract<HistogramName, 'encryption' | 'decryption'>;

const roleOf = { encryption: 'publisher', decryption: 'subscriber' } as const;
/** Ten messages beyond a quantile make it worth showing. */
const enoughFor99 = 1_000;

function timesOf(evidence: RunEvidence, work: Work): LatencyHistogram | null {
  const json = resultOf(evidence, roleOf[work])?.histograms[work];
  return json && json.count > 0 ? LatencyHistogram.fromJson(json) : null;
}

function timeMetrics(work: Work): MetricDefinition[] {
  const [label, verb] =
    work === 'encryption' ? ['Encryption time', 'encrypt'] : ['Decryption time', 'decrypt'];
  const metric = (
    statistic: 'mean' | 'p50' | 'p99',
    name: string,
    read: (times: LatencyHistogram) => number | null,
  ): MetricDefinition => ({
    group: 'payload',
    source: 'Monotonic clock around the call of the payload cipher in the load worker, in steps of 0.01 µs.',
    bias: 'Reading the clock is in it, below 0.1 µs. Of fast load every eighth message is timed.',
    unit: 'µs',
    quantity: 'positive',
    resolution: { step: 0.01, share: 0.001 },
    better: 'lower',
    role: roleOf[work],
    id: `${work}.${statistic}`,
    label: `${label}, ${name}`,
    help:
      `Time the payload cipher takes to ${verb} one message, without the encoding: ${name}. Of fast load every eighth ` +
      'message is timed; reading the clock costs below 0.1 µs, which is in it.',
    from: (evidence) => {
      const times = timesOf(evidence, work);
      return times === null ? null : read(times);
    },
  });
  return [
    metric('mean', 'mean', (times) => times.meanUs),
    metric('p50', 'median', (times) => times.percentile(50)),
    metric('p99', 'P99', (times) => (times.count >= enoughFor99 ? times.percentile(99) : null)),
  ];
}

/** Messages of the measure phase that one role encrypted or decrypted. */
function messagesOf(evidence: RunEvidence, work: Work): number | null {
  return work === 'encryption' ? messagesSent(evidence) : messagesArrived(evidence);
}

function cpuShare(work: Work): MetricDefinition {
  const role = roleOf[work];
  return {
    group: 'payload',
    source:
      'Mean time of the payload cipher, count of messages, and getrusage(2) of the process over the measure phase.',
    bias: 'Compares wall-clock time with CPU time: if other programs interrupt the process, the share is too high.',
    unit: '%',
    quantity: 'proportion',
    resolution: { step: 0.01 },
    better: 'lower',
    role,
    id: `payload.cpuShare.${role}`,
    label: `Share of the cipher in CPU time, ${role}`,
    help: `Mean time to ${work === 'encryption' ? 'encrypt' : 'decrypt'} times messages, of all CPU time of the ${role}'s process while measuring.`,
    from: (evidence) => {
      const times = timesOf(evidence, work);
      const messages = messagesOf(evidence, work);
      const cpuUs = phaseOf(evidence, role, 'measure')?.cpuUs;
      const share = times && messages !== null ? ratioOf((times.meanUs ?? 0) * messages, cpuUs) : null;
      return share === null ? null : 100 * share;
    },
  };
}

/** Mean bytes of a payload as it travels; null where nobody counted them. */
function carriedBytes(evidence: RunEvidence): number | null {
  const bytes = countOf(evidence, 'publisher', 'carriedBytesSent');
  return bytes === null || bytes === 0 ? null : ratioOf(bytes, countOf(evidence, 'publisher', 'sent'));
}

const expansion = {
  group: 'payload',
  quantity: 'positive',
  resolution: 'exact',
  better: 'lower',
  role: 'publisher',
  source: 'Lengths of the payloads that the publisher wrote, over its count of messages.',
  bias: null,
} as const;

const expansionMetrics: readonly MetricDefinition[] = [
  {
    ...expansion,
    id: 'payload.expansion',
    label: 'Payload expansion',
    unit: 'B',
    help: 'Bytes that encryption and encoding add to the payload of a message.',
    from: (evidence) => {
      const bytes = carriedBytes(evidence);
      return bytes === null ? null : bytes - payloadBytesOf(evidence.spec);
    },
  },
  {
    ...expansion,
    id: 'payload.expansionRatio',
    label: 'Payload expansion ratio',
    unit: '×',
    help: 'Bytes of a sent payload, encrypted and encoded, divided by bytes of its readings.',
    from: (evidence) => ratioOf(carriedBytes(evidence), payloadBytesOf(evidence.spec)),
  },
];

const encryptedRate: MetricDefinition = {
  ...expansion,
  better: 'higher',
  source: 'Lengths of the payloads that the publisher wrote, over the length of the measure phase.',
  bias: 'A message on its schedule decides it, not the cipher.',
  resolution: { oneOf: 'count.sent' },
  id: 'rate.encrypted',
  label: 'Encrypted throughput',
  unit: 'B/s',
  help: 'Bytes of all sent payloads, encrypted and encoded, for each second of the measurement at the publisher.',
  from: (evidence) => {
    if (evidence.spec.payloadCipher === null) return null;
    const bytes = countOf(evidence, 'publisher', 'carriedBytesSent');
    const durationUs = phaseOf(evidence, 'publisher', 'measure')?.durationUs;
    const perUs = bytes === 0 ? null : ratioOf(bytes, durationUs);
    return perUs === null ? null : perUs * 1e6;
  },
};

/** What a role counts by itself. */
const ownCount = { source: 'Own count of the load worker.', bias: null } as const;

const alteredMetric: MetricDefinition = {
  ...ownCount,
  group: 'payload',
  unit: 'messages',
  quantity: 'count',
  resolution: { step: 1 },
  better: null,
  role: 'publisher',
  id: 'count.altered',
  label: 'Altered on purpose',
  help: 'Measured messages in whose encrypted payload one bit was flipped behind the publisher.',
  from: (evidence) => countOf(evidence, 'publisher', 'altered'),
};

const refusedMetrics = (
  [
    [
      'unauthentic',
      'Unauthentic',
      'Payloads whose authentication tag was wrong: changed on the way, or under another key.',
    ],
    [
      'replayed',
      'Replayed',
      'Payloads that had been accepted before, without being marked as delivered again.',
    ],
    ['malformed', 'Malformed', 'Payloads that are no encrypted or encoded payload at all.'],
  ] as const
).map(
  ([counter, label, help]): MetricDefinition => ({
    ...ownCount,
    group: 'payload',
    unit: 'messages',
    quantity: 'count',
    resolution: { step: 1 },
    better: 'lower',
    role: 'subscriber',
    id: `count.${counter}`,
    label,
    help: `${help} At the subscriber, and at a bridge before it. Warm-up included, for what cannot be read does not tell when it was sent.`,
    from: (evidence) => {
      const [own, atBridge] = (['subscriber', 'bridge'] as const).map((role) =>
        countOf(evidence, role, counter),
      );
      return own === null || own === undefined ? null : own + (atBridge ?? 0);
    },
  }),
);

const randomnessTests = {
  monobit: ['monobit', 'Monobit test'],
  runs: ['runs', 'Runs test'],
  'approximate entropy': ['apEn', 'Approximate entropy'],
} as const satisfies Readonly<Record<Randomness['test'], readonly [string, string]>>;

function randomnessOf(evidence: RunEvidence, test: Randomness['test']): Randomness | undefined {
  return resultsOf(evidence, 'publisher')
    .flatMap((result) => result.randomness)
    .find((entry) => entry.test === test);
}

const provesNothing =
  'Of ciphertexts of this Run, as NIST SP 800-22 computes it. This proves nothing about security: bad ciphers pass, and one in a hundred good ciphertexts fails.';

const randomnessMetrics = Object.entries(randomnessTests).flatMap(
  ([name, [id, label]]): MetricDefinition[] => {
    const test = name as Randomness['test'];
    const base = {
      group: 'payload',
      quantity: 'proportion',
      resolution: { step: 0.01 },
      better: null,
      role: 'publisher',
      source: `NIST SP 800-22 revision 1a, ${test} test, over a sample of the ciphertexts that the publisher sent.`,
      bias: 'Short ciphertexts are less than the standard recommends for its approximations.',
    } as const;
    return [
      {
        ...base,
        id: `randomness.${id}.passed`,
        label: `${label}, passed`,
        unit: '%',
        help: `Share of messages with p of at least 0.01. ${provesNothing}`,
        from: (evidence) => {
          const entry = randomnessOf(evidence, test);
          const share = ratioOf(entry?.passed, entry?.messages);
          return share === null ? null : 100 * share;
        },
      },
      {
        ...base,
        id: `randomness.${id}.p`,
        label: `${label}, mean p`,
        unit: 'p',
        help: `Mean p value; 0.5 is what randomness gives, and 0.9 is no better than 0.3. ${provesNothing}`,
        from: (evidence) => randomnessOf(evidence, test)?.meanP ?? null,
      },
    ];
  },
);

export const payloadMetrics: readonly MetricDefinition[] = [
  ...timeMetrics('encryption'),
  ...timeMetrics('decryption'),
  cpuShare('encryption'),
  cpuShare('decryption'),
  ...expansionMetrics,
  encryptedRate,
  alteredMetric,
  ...refusedMetrics,
  ...randomnessMetrics,
];
