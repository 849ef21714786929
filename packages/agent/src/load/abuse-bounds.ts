import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { abuseLimits } from '@mqttlab/shared/domain/plans/workload';
import { Failure } from '@mqttlab/shared/kit/failure';

/**
 * Abuse goes to a broker that this testbed itself started for the Run, and stays within its bounds: checked again on
 * the device, whatever the server said. Throws Failure 'abuse-refused'.
 */
export function checkAbuseBounds(spec: TrialSpec): void {
  if (spec.workload !== 'availability') return;
  if (spec.broker !== 'mosquitto') {
    throw refusal(
      `Sessions of a broker of the kind "${spec.broker}" are not abused: this testbed did not start it.`,
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
    throw refusal(`${asked} ${what} of abuse are more than ${most}.`);
  }
}

function refusal(message: string): Failure {
  const remedy = 'Choose Mosquitto as broker, and bounds within those of the workload “availability”.';
  return new Failure({ code: 'abuse-refused', message, remedy });
}
