import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { ratioOf } from '../evidence/evidence.ts';
import { retransmissionsOf } from '../evidence/shaping-evidence.ts';

const stack = {
  source:
    'Tcp: OutSegs and RetransSegs of /proc/net/snmp of every network stack, from the start of the load to its end.',
  bias: 'Holds everything on the devices: on the built-in testbed also what the server and the agents say to one another, which is never lost.',
} as const;

export const tcpMetrics: readonly MetricDefinition[] = [
  {
    id: 'tcp.retransmissions',
    label: 'Segments sent again',
    group: 'traffic',
    unit: 'segments',
    quantity: 'count',
    resolution: { step: 1 },
    better: 'lower',
    role: null,
    ...stack,
    help: 'TCP segments that the devices sent more than once from warm-up to drain, everything on them counted: what loss costs.',
    from: (evidence) => retransmissionsOf(evidence)?.again ?? null,
  },
  {
    id: 'tcp.retransmitted',
    label: 'Share of segments sent again',
    group: 'traffic',
    unit: '%',
    quantity: 'proportion',
    resolution: { step: 0.001 },
    better: 'lower',
    role: null,
    ...stack,
    help: 'The same, in per cent of all segments sent.',
    from: (evidence) => {
      const tcp = retransmissionsOf(evidence);
      const share = ratioOf(tcp?.again, tcp?.sent);
      return share === null ? null : 100 * share;
    },
  },
];
