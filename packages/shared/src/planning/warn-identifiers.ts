import { withoutReuse } from '../catalogue/verdicts/identifiers-free.ts';
import type { Issue } from '../domain/issue.ts';
import type { Plan } from '../domain/plans/plan.ts';
import { plural } from '../format/number.ts';

/**
 * Returns a warning if treatments send QoS 2 over TLS as fast as possible to Mosquitto. In all 11 such runs with
 * Mosquitto 2.0.11, 13 to 71 % of the messages reused the packet identifier of an open exchange, while plain runs
 * had none; the verdict `identifiers-free` then flags the run.
 */
export function warnOfReusedIdentifiers({ treatments }: Pick<Plan, 'treatments'>): Issue[] {
  const affected = treatments.filter(
    ({ spec }) =>
      spec.broker === 'mosquitto' &&
      spec.applicationProtocol === 'mqtt' &&
      spec.qos === 2 &&
      spec.security !== 'plain' &&
      spec.readingsPerSecond === null,
  ).length;
  if (affected === 0) return [];
  return [
    {
      field: 'factors.qos',
      reason: `${plural(affected, 'treatment')} ${affected === 1 ? 'sends' : 'send'} QoS 2 over TLS as fast as possible; Mosquitto can then reuse packet identifiers too early, and such runs are flagged`,
      remedy: withoutReuse,
    },
  ];
}
