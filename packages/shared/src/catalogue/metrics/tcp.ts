import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { ratioOf } from '../evidence/evidence.ts';
import { retransmissionsOf } from '../evidence/shaping-evidence.ts';

const stack = {
  source:
    'Tcp: OutSegs and RetransSegs from /proc/net/snmp in every network namespace, from the start to the end of the load.',
  bias: 'Includes all traffic of the devices. On the built-in testbed, this includes the traffic between server and agents, which is never lost.',
} as const;

export const tcpMetrics: readonly MetricDefinition[] = [
  {
    id: 'tcp.retransmissions',
    label: 'Retransmitted segments',
    group: 'traffic',
    unit: 'segments',
    quantity: 'count',
    resolution: { step: 1 },
    better: 'lower',
    role: null,
    ...stack,
    help: 'TCP segments that the devices retransmitted from warm-up to drain, over all their connections.',
    from: (evidence) => retransmissionsOf(evidence)?.again ?? null,
  },
  {
    id: 'tcp.retransmitted',
    label: 'Share of retransmitted segments',
    group: 'traffic',
    unit: '%',
    quantity: 'proportion',
    resolution: { step: 0.001 },
    better: 'lower',
    role: null,
    ...stack,
    help: 'Retransmitted segments as a percentage of all segments sent.',
    from: (evidence) => {
      const tcp = retransmissionsOf(evidence);
      const share = ratioOf(tcp?.again, tcp?.sent);
      return share === null ? null : 100 * share;
    },
  },
];
