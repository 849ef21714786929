import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { eachDevice, meanOf, numberIn } from '../evidence/evidence.ts';

const base = {
  group: 'latency',
  quantity: 'positive',
  better: 'lower',
  role: 'subscriber',
  source: 'Due times in the stamps and arrivals at the subscriber’s own sockets, as of latency.',
  resolution: { step: 0.001, share: 0.001 },
  bias: 'Includes the same program times as latency.',
} as const;

function factOf(evidence: RunEvidence, name: string): number | null {
  return meanOf(eachDevice(evidence, 'subscriber', ({ environment }) => numberIn(environment[name])));
}

/** What only several publishers have. */
export const publisherMetrics: readonly MetricDefinition[] = [
  {
    ...base,
    id: 'publishers.runTime',
    label: 'Run time of a publisher, mean',
    unit: 's',
    help: 'From the due time of the first measured message of a publisher to the arrival of its last one, mean over publishers; from two publishers on.',
    from: (evidence) => {
      const ms = factOf(evidence, 'publishers.runTimeMs');
      return ms === null ? null : ms / 1000;
    },
  },
  {
    ...base,
    id: 'publishers.totalRunTime',
    label: 'Run time of all publishers',
    unit: 's',
    help: 'From the due time of the first measured message of any publisher to the arrival of the last one of any; from two publishers on. Never shorter than the mean run time of a publisher.',
    from: (evidence) => {
      const ms = factOf(evidence, 'publishers.totalRunTimeMs');
      return ms === null ? null : ms / 1000;
    },
  },
  {
    ...base,
    id: 'publishers.rate',
    label: 'Message rate of a publisher, mean',
    unit: 'msg/s',
    better: 'higher',
    resolution: { share: 0.001 },
    help: 'Measured messages of a publisher that arrived, over the run time of that publisher, mean over publishers; from two publishers on.',
    from: (evidence) => factOf(evidence, 'publishers.rate'),
  },
  {
    ...base,
    id: 'publishers.latencySd',
    label: 'Latency, sd between publishers',
    unit: 'ms',
    help: 'Standard deviation, over publishers, of the mean latency of the messages of each; from two publishers on.',
    from: (evidence) => factOf(evidence, 'publishers.meanLatencySdMs'),
  },
];
