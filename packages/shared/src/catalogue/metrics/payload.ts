import { payloadBytesOf } from '../../domain/plans/trial-spec.ts';
import type { HistogramName, Randomness } from '../../domain/runs/role-result.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { countOf, phaseOf, ratioOf, resultOf, resultsOf } from '../evidence/evidence.ts';
import { messagesArrived, messagesSent } from '../evidence/throughput-evidence.ts';

type Work = Extract<HistogramName, 'encryption' | 'decryption'>;

const roleOf = { encryption: 'publisher', decryption: 'subscriber' } as const;
/** P99 is shown if at least ten messages are beyond it. */
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
    source:
      'Monotonic clock before and after the call of the payload cipher in the load worker, in steps of 0.01 µs.',
    bias: 'Includes the time to read the clock, less than 0.1 µs. Under fast load, only every eighth message is timed.',
    unit: 'µs',
    quantity: 'positive',
    resolution: { step: 0.01, share: 0.001 },
    better: 'lower',
    role: roleOf[work],
    id: `${work}.${statistic}`,
    label: `${label}, ${name}`,
    help:
      `Time that the payload cipher takes to ${verb} one message, without encoding: ${name}. Under fast load, every ` +
      'eighth message is timed. Includes the time to read the clock, less than 0.1 µs.',
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

/** Returns the number of messages that one role encrypted or decrypted in the measure phase. */
function messagesOf(evidence: RunEvidence, work: Work): number | null {
  return work === 'encryption' ? messagesSent(evidence) : messagesArrived(evidence);
}

function cpuShare(work: Work): MetricDefinition {
  const role = roleOf[work];
  return {
    group: 'payload',
    source:
      'Mean time of the payload cipher, number of messages, and getrusage(2) of the process over the measure phase.',
    bias: 'Compares clock time with CPU time: if other programs preempt the process, the share is too high.',
    unit: '%',
    quantity: 'proportion',
    resolution: { step: 0.01 },
    better: 'lower',
    role,
    id: `payload.cpuShare.${role}`,
    label: `Cipher share of CPU time, ${role}`,
    help: `Mean time to ${work === 'encryption' ? 'encrypt' : 'decrypt'} a message times the number of messages, divided by the CPU time of the ${role} process in the measure phase.`,
    from: (evidence) => {
      const times = timesOf(evidence, work);
      const messages = messagesOf(evidence, work);
      const cpuUs = phaseOf(evidence, role, 'measure')?.cpuUs;
      const share = times && messages !== null ? ratioOf((times.meanUs ?? 0) * messages, cpuUs) : null;
      return share === null ? null : 100 * share;
    },
  };
}

/** Returns the mean number of payload bytes on the wire; null if they were not counted. */
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
  source: 'Total length of the payloads that the publisher wrote, divided by its count of messages.',
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
    help: 'Bytes of an encrypted and encoded payload, divided by the bytes of its readings.',
    from: (evidence) => ratioOf(carriedBytes(evidence), payloadBytesOf(evidence.spec)),
  },
];

const encryptedRate: MetricDefinition = {
  ...expansion,
  better: 'higher',
  source:
    'Total length of the payloads that the publisher wrote, divided by the length of the measure phase.',
  bias: 'If messages are scheduled, the schedule determines the value, not the cipher.',
  resolution: { oneOf: 'count.sent' },
  id: 'rate.encrypted',
  label: 'Encrypted throughput',
  unit: 'B/s',
  help: 'Bytes of all encrypted and encoded payloads per second of the measure phase, at the publisher.',
  from: (evidence) => {
    if (evidence.spec.payloadCipher === null) return null;
    const bytes = countOf(evidence, 'publisher', 'carriedBytesSent');
    const durationUs = phaseOf(evidence, 'publisher', 'measure')?.durationUs;
    const perUs = bytes === 0 ? null : ratioOf(bytes, durationUs);
    return perUs === null ? null : perUs * 1e6;
  },
};

/** Counters of a role's own process. */
const ownCount = { source: 'Counted by the load worker.', bias: null } as const;

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
  help: 'Measured messages in whose encrypted payload one bit was flipped after the publisher sent it.',
  from: (evidence) => countOf(evidence, 'publisher', 'altered'),
};

const refusedMetrics = (
  [
    [
      'unauthentic',
      'Unauthentic',
      'Payloads with a wrong authentication tag: altered in transit, or encrypted with another key.',
    ],
    ['replayed', 'Replayed', 'Payloads that had been accepted before and were not marked as redelivered.'],
    ['malformed', 'Malformed', 'Payloads that are not encrypted or encoded correctly.'],
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
    help: `${help} Counted at the subscriber, and at a bridge before it. Includes the warm-up, because an unreadable payload has no readable send time.`,
    from: (evidence) => {
      const [atSubscriber, atBridge] = (['subscriber', 'bridge'] as const).map((role) =>
        countOf(evidence, role, counter),
      );
      return atSubscriber === null || atSubscriber === undefined ? null : atSubscriber + (atBridge ?? 0);
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
  'Computed over ciphertexts of this run (NIST SP 800-22). This does not prove security: weak ciphers pass, and one in a hundred good ciphertexts fails.';

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
      bias: 'Short ciphertexts are below the length that the standard recommends for its approximations.',
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
        help: `Mean p-value. Random data gives 0.5, and 0.9 is no better than 0.3. ${provesNothing}`,
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
