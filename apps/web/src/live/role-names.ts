import { neededRoles, type Role, roles } from '@mqttlab/shared/domain/devices/device';
import type { Progress } from '@mqttlab/shared/messages/agent';

export const roleNames: Readonly<Record<Role, string>> = {
  broker: 'Broker',
  publisher: 'Publisher',
  bridge: 'Bridge',
  'cloud-broker': 'Cloud broker',
  subscriber: 'Subscriber',
};

/** The three of every Run, or all where a bridge tells something. Always the same lists. */
export function rolesThatTell(frames: readonly Pick<Progress, 'role'>[]): readonly Role[] {
  return frames.some(({ role }) => !neededRoles.some((needed) => needed === role)) ? roles : neededRoles;
}
