import type { BridgeCounters } from '../../domain/runs/bridge-counters.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { resultOf } from '../evidence/evidence.ts';

const base = {
  group: 'payload',
  quantity: 'positive',
  role: 'bridge',
  resolution: { step: 0.01, share: 0.001 },
  source: 'Counted by the bridge.',
  bias: null,
} as const;

const times = (
  [
    ['decryption', 'verifying and decrypting'],
    ['encryption', 're-encrypting'],
  ] as const
).map(
  ([work, words]): MetricDefinition => ({
    ...base,
    source: 'Monotonic clock before and after the call of the payload cipher in the bridge process.',
    bias: 'Includes the time to read the clock, less than 0.1 µs.',
    id: `bridge.${work}.mean`,
    label: `Bridge, ${words}`,
    unit: 'µs',
    better: 'lower',
    help: `Mean time that the bridge’s payload cipher takes for ${words} one message, without encoding.`,
    from: (evidence) => {
      const json = resultOf(evidence, 'bridge')?.histograms[work];
      return json && json.count > 0 ? LatencyHistogram.fromJson(json).meanUs : null;
    },
  }),
);

const counted: readonly [keyof BridgeCounters, string, 'lower' | 'higher', string][] = [
  ['verified', 'verified', 'higher', 'Messages that were authentic and new'],
  ['rejected', 'rejected', 'lower', 'Messages that failed authentication, were replayed or were malformed'],
  ['forwarded', 'forwarded', 'higher', 'Messages that the cloud broker accepted'],
  ['resent', 'sent again', 'lower', 'Messages sent a second time after the connection to the cloud was lost'],
  ['failovers', 'failovers', 'lower', 'Number of switches to another cloud broker in the list'],
  [
    'missedHeartbeats',
    'heartbeats missed',
    'lower',
    'Heartbeats that the broker had not answered when the next heartbeat was due',
  ],
  ['restarts', 'restarts', 'lower', 'Number of times the bridge process was restarted'],
];

const units: Partial<Record<keyof BridgeCounters, string>> = {
  failovers: 'times',
  restarts: 'times',
  missedHeartbeats: 'heartbeats',
};

const heartbeats = (['local', 'cloud'] as const).map(
  (leg): MetricDefinition => ({
    ...base,
    resolution: { step: 0.001 },
    source: 'Monotonic clock of the bridge process, from writing PINGREQ to reading PINGRESP.',
    bias: 'The bridge sends a heartbeat when a connection opens and every 10 s, so short runs have few. Includes time spent behind queued data on the connection.',
    id: `bridge.heartbeat.${leg}`,
    label: `Bridge, heartbeat response time of the ${leg} broker, median`,
    unit: 'ms',
    better: 'lower',
    help: `Median time in which the ${leg} broker answered the bridge’s heartbeats. If several brokers are configured: the time of the broker that answered the most heartbeats.`,
    from: (evidence) => {
      const status = resultOf(evidence, 'bridge')?.brokerStatus?.filter((entry) => entry.leg === leg) ?? [];
      const [most] = status.toSorted((a, b) => b.answered - a.answered);
      return most?.medianAnswerUs == null ? null : most.medianAnswerUs / 1000;
    },
  }),
);

export const bridgeMetrics: readonly MetricDefinition[] = [
  ...times,
  ...heartbeats,
  ...counted.map(
    ([counter, words, better, help]): MetricDefinition => ({
      ...base,
      quantity: 'count',
      resolution: { step: 1 },
      id: `bridge.${counter}`,
      label: `Bridge, ${words}`,
      unit: units[counter] ?? 'messages',
      better,
      help: `${help}, warm-up included.`,
      from: (evidence) => resultOf(evidence, 'bridge')?.bridge?.[counter] ?? null,
    }),
  ),
  {
    ...base,
    quantity: 'proportion',
    resolution: { step: 0.0001 },
    source:
      'NIST SP 800-22 revision 1a, approximate entropy, over a sample of the ciphertexts that the bridge forwarded.',
    bias: 'Short ciphertexts are below the length that the standard recommends for its approximations.',
    id: 'bridge.apEn.p',
    label: 'Bridge, approximate entropy, mean p',
    unit: 'p',
    better: null,
    help: 'Mean p value (NIST SP 800-22) over the ciphertexts that the bridge forwarded to the cloud. Random data gives 0.5. This does not prove security.',
    from: (evidence) =>
      resultOf(evidence, 'bridge')?.randomness.find(({ test }) => test === 'approximate entropy')?.meanP ??
      null,
  },
];
