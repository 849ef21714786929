import type { Role } from '@mqttlab/shared/domain/device';

export const roleNames: Readonly<Record<Role, string>> = {
  broker: 'Broker',
  publisher: 'Publisher',
  subscriber: 'Subscriber',
};
