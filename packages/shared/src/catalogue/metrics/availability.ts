import type { HistogramJson } from '../../domain/runs/role-result.ts';
import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { countOf, measuredOf, measuredValues, ratioOf, resultOf, toMs } from '../evidence/evidence.ts';

const base = {
  group: 'set-up',
  quantity: 'positive',
  better: 'lower',
  role: 'subscriber',
  resolution: { step: 0.001, share: 0.001 },
  source:
    'The legitimate client’s own sockets and monotonic clock: an attempt every 100 ms, even if the previous attempt has not ended, with a timeout of 2 s.',
  bias: 'Only successful attempts have a duration: under abuse, the slowest are missing.',
} as const;
const memory = {
  ...base,
  // One page.
  resolution: { step: 0.004 },
  source: 'Resident set of the broker process from /proc/PID/statm, sampled.',
  bias: 'Shared pages count in full. Peaks between two samples are missed.',
} as const;

function isAbout({ spec }: RunEvidence): boolean {
  return spec.workload === 'availability';
}

/** Returns set-up times of the legitimate client's successful attempts in the measure phase. */
function probesOf(evidence: RunEvidence): HistogramJson | null {
  return (isAbout(evidence) && resultOf(evidence, 'subscriber')?.histograms['phase.set-up']) || null;
}

function attempts(evidence: RunEvidence): number | null {
  if (!isAbout(evidence)) return null;
  const [opened, failed] = [
    countOf(evidence, 'subscriber', 'connectionsOpened'),
    countOf(evidence, 'subscriber', 'connectionsFailed'),
  ];
  return opened === null || failed === null ? null : opened + failed;
}

/**
 * Returns the duration of the longest sequence of failed attempts, in s; attempts start at a constant rate.
 */
function longestOutageS(evidence: RunEvidence): number | null {
  const result = isAbout(evidence) ? resultOf(evidence, 'subscriber') : undefined;
  const series = result?.series.find(({ metric }) => metric === 'probe.reached');
  if (series === undefined) return null;
  let longestMs = 0;
  let sinceMs: number | null = null;
  for (const [index, reached] of series.values.entries()) {
    const atMs = series.timesMs[index] ?? 0;
    if (atMs <= 0) continue;
    if (reached === 0) sinceMs ??= atMs;
    else sinceMs = null;
    if (sinceMs !== null) longestMs = Math.max(longestMs, atMs - sinceMs);
  }
  return longestMs / 1000;
}

/** Returns the broker's resident memory before and during the measure phase, in MB. */
function brokerMb(evidence: RunEvidence): { before: number | null; most: number | null } {
  const result = isAbout(evidence) ? resultOf(evidence, 'broker') : undefined;
  const series = result?.series.find(({ metric }) => metric === 'memory.resident');
  if (result === undefined || series === undefined) return { before: null, most: null };
  const before = series.values.filter((_value, index) => (series.timesMs[index] ?? 0) <= 0).at(-1);
  const during = measuredOf(result, 'memory.resident', evidence.spec.measureMs);
  return {
    before: before === undefined || before === null ? null : before / 1e6,
    most: during.length === 0 ? null : Math.max(...during) / 1e6,
  };
}

export const availabilityMetrics: readonly MetricDefinition[] = [
  {
    ...base,
    better: 'higher',
    quantity: 'proportion',
    // One of the attempts made in 10 s.
    resolution: { step: 1 },
    bias: null,
    id: 'availability.reached',
    label: 'Attempts that reached the broker',
    unit: '%',
    help: 'Share of the legitimate client’s connection attempts during the abuse that ended with an accepting CONNACK.',
    from: (evidence) => {
      const share = ratioOf(countOf(evidence, 'subscriber', 'connectionsOpened'), attempts(evidence));
      return share === null ? null : share * 100;
    },
  },
  ...[50, 95].map(
    (p): MetricDefinition => ({
      ...base,
      id: `availability.connect.p${p}`,
      label: p === 50 ? 'Connecting under abuse, median' : `Connecting under abuse, P${p}`,
      unit: 'ms',
      help: `P${p} of the time from SYN to CONNACK, over the legitimate client’s successful attempts.`,
      from: (evidence) => {
        const histogram = probesOf(evidence);
        return histogram === null ? null : toMs(LatencyHistogram.fromJson(histogram).percentile(p));
      },
    }),
  ),
  {
    ...base,
    source: 'Start times of the legitimate client’s attempts, which start every 100 ms.',
    bias: 'Resolution of 100 ms; up to one step too short. An attempt that succeeds late counts from its start.',
    resolution: { step: 0.1 },
    id: 'availability.outage',
    label: 'Longest outage',
    unit: 's',
    help: 'Longest period in which no attempt of the legitimate client succeeded.',
    from: longestOutageS,
  },
  {
    ...base,
    better: null,
    role: 'publisher',
    quantity: 'count',
    resolution: { step: 1 },
    source: 'The attacker’s own count of simultaneous connections or sessions.',
    bias: null,
    id: 'availability.held',
    label: 'Connections or sessions held',
    unit: 'connections',
    help: 'Maximum number of connections or sessions that the attacker held at the same time.',
    from: (evidence) => (isAbout(evidence) ? countOf(evidence, 'publisher', 'connectionsHeld') : null),
  },
  {
    ...memory,
    group: 'memory',
    role: 'broker',
    quantity: 'signed',
    id: 'availability.memoryGrowth',
    label: 'Broker memory growth',
    unit: 'MB',
    help: 'Maximum resident memory of the broker during the abuse, minus its memory before.',
    from: (evidence) => {
      const { before, most } = brokerMb(evidence);
      return before === null || most === null ? null : most - before;
    },
  },
  {
    ...memory,
    group: 'memory',
    role: 'broker',
    id: 'availability.memoryAtEnd',
    label: 'Broker memory at the end',
    unit: 'MB',
    help: 'Resident memory of the broker at the end of the measure phase.',
    from: (evidence) => {
      const last = isAbout(evidence)
        ? measuredValues(evidence, 'broker', 'memory.resident').at(-1)
        : undefined;
      return last === undefined ? null : last / 1e6;
    },
  },
];
