import type { RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { DeviceConversation, ExternalCommand } from '../external/device-conversation.ts';
import { makeEmptyResult } from './load-result.ts';

/** What is known of every device without an agent: nothing of this machine is told as if it were the device. */
export function resultOfDevice(
  { role, external }: ExternalCommand,
  { unreadable }: DeviceConversation,
): RoleResult {
  return {
    ...makeEmptyResult(role),
    environment: { 'client.engine': 'external device', 'device.name': external.name },
    degraded:
      unreadable === 0
        ? []
        : [{ collector: 'device', reason: `${unreadable} lines of ${external.name} could not be read.` }],
  };
}

export function lostDevice(name: string): RoleFailure {
  return {
    code: 'device-lost',
    message: `${name} lost its connection to the broker during the run.`,
    remedy: 'Look at its radio, its supply and its own log, then retry the run.',
  };
}
