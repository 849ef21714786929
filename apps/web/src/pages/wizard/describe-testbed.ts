import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import { listNames } from '../../ui/format/list.ts';
import { experimentCode } from '../experiments/describe-experiment.ts';

/** Whether a run could start now, and what it would wait for. */
export function describeReadiness({ busyWith, probing, devices }: TestbedStatus): string {
  const offline = devices.filter(({ online }) => !online).map(({ name }) => name);
  if (offline.length > 0) {
    const one = offline.length === 1;
    return `${listNames(offline)} ${one ? 'is' : 'are'} offline: nothing starts here until ${one ? 'it is' : 'they are'} back`;
  }
  if (busyWith !== null) {
    return `in use by ${experimentCode(busyWith)}: this experiment would wait in the queue`;
  }
  if (probing) return 'a pre-flight goes on: this experiment would wait for its end';
  return 'idle: a run can start at once';
}

/** Named links of added devices; the built-in testbed has the interfaces of its machine. */
export function describeLinks({ links }: Pick<TestbedStatus, 'links'>): string | null {
  if (links === undefined || links.length === 0) return null;
  return `Links: ${links.map(({ name }) => name).join(', ')}`;
}
