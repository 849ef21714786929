import type { RoleFailure, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { DeviceConversation, ExternalCommand } from '../external/device-conversation.ts';
import { emptyLoadResult } from '../load-process/worker-messages.ts';

const { facts: _none, ...emptyLoad } = emptyLoadResult;

/** What is known of every device without an agent: nothing of this machine is told as if it were the device. */
export function resultOfDevice(
  { role, external }: ExternalCommand,
  { unreadable }: DeviceConversation,
): RoleResult {
  return {
    ...emptyLoad,
    role,
    device: '',
    share: { index: 0, of: 1 },
    upstream: null,
    bridge: null,
    energy: null,
    perf: null,
    clock: null,
    shaping: [],
    tcp: null,
    series: [],
    environment: { 'client.engine': 'external device', 'device.name': external.name },
    log: [],
    degraded:
      unreadable === 0
        ? []
        : [{ collector: 'device', reason: `${unreadable} lines of ${external.name} could not be read.` }],
    failure: null,
  };
}

export function lostDevice(name: string): RoleFailure {
  return {
    code: 'device-lost',
    message: `${name} lost its connection to the broker during the run.`,
    remedy: 'Look at its radio, its supply and its own log, then retry the run.',
  };
}
