import { abuseLimits } from '@mqttlab/shared/domain/plans/trial-levels';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { Failure } from '@mqttlab/shared/kit/failure';

/**
 * Checks that an abuse load targets a broker that this testbed started for the run, and stays within the load
 * limits. The device checks this independently of the server. Throws Failure 'abuse-refused'.
 */
export function checkAbuseBounds(spec: TrialSpec): void {
  if (spec.workload !== 'availability') return;
  if (spec.broker !== 'mosquitto') {
    throw refusal(
      `Session abuse is refused for the broker kind "${spec.broker}", because this testbed does not start that broker.`,
    );
  }
  const bounds: readonly [string, number, number][] = [
    ['connections', spec.abusers, abuseLimits.connections],
    ['messages for each session', spec.queuedMessages, abuseLimits.messages],
    ['bytes of memory', spec.abuseMemoryBytes, abuseLimits.memoryBytes],
    ['ms', spec.measureMs, abuseLimits.measureMs],
  ];
  const exceeded = bounds.find(([, asked, most]) => !(asked <= most));
  if (exceeded !== undefined) {
    const [what, asked, most] = exceeded;
    throw refusal(`The abuse load has ${asked} ${what}, more than the limit of ${most}.`);
  }
}

function refusal(message: string): Failure {
  const remedy =
    'Choose Mosquitto as the broker, and values within the limits of the workload “availability”.';
  return new Failure({ code: 'abuse-refused', message, remedy });
}
