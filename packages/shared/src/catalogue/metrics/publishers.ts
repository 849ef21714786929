import type { MetricDefinition, RunEvidence } from '../../domain/runs/verdict.ts';
import { eachDevice, meanOf, numberIn } from '../evidence/evidence.ts';

const base = {
  group: 'latency',
  quantity: 'positive',
  better: 'lower',
  role: 'subscriber',
  source: 'Due times in the stamps and arrivals at the subscriber’s own sockets, as for latency.',
  resolution: { step: 0.001, share: 0.001 },
  bias: 'The same as for latency.',
} as const;

function factOf(evidence: RunEvidence, name: string): number | null {
  return meanOf(eachDevice(evidence, 'subscriber', ({ environment }) => numberIn(environment[name])));
}

/** Metrics that need at least two publishers. */
export const publisherMetrics: readonly MetricDefinition[] = [
  {
    ...base,
    id: 'publishers.runTime',
    label: 'Run time of a publisher, mean',
    unit: 's',
    help: 'From the due time of a publisher’s first measured message to the arrival of its last message, mean over publishers. Needs at least two publishers.',
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
    help: 'From the due time of the first measured message to the arrival of the last message, over all publishers. Needs at least two publishers. Never shorter than the mean run time of a publisher.',
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
    help: 'Measured messages of a publisher that arrived, divided by its run time, mean over publishers. Needs at least two publishers.',
    from: (evidence) => factOf(evidence, 'publishers.rate'),
  },
  {
    ...base,
    id: 'publishers.latencySd',
    label: 'Latency, sd between publishers',
    unit: 'ms',
    help: 'Standard deviation over publishers of their mean latency. Needs at least two publishers.',
    from: (evidence) => factOf(evidence, 'publishers.meanLatencySdMs'),
  },
];
