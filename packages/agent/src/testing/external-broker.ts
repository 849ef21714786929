import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';

/** A setting with only an address on this machine. */
export function makeExternalBroker(change: Partial<ExternalBroker> = {}): ExternalBroker {
  return {
    label: 'Somebody’s',
    address: '127.0.0.1',
    port: 1,
    tlsPort: null,
    websocketPort: null,
    mqttVersions: ['3.1.1'],
    authority: null,
    serverName: null,
    username: null,
    hasPassword: false,
    process: null,
    unit: null,
    ...change,
  };
}
