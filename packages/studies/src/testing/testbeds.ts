import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeCapabilities, makeTestbed } from '@mqttlab/shared/testing/factories';

/** Restricts broker and clients of the testbed to these suites. */
export function withSuites(testbed: TestbedCapabilities, suites: string[]): TestbedCapabilities {
  return {
    ...testbed,
    devices: testbed.devices.map((device) => {
      const { tls, brokers, ...capabilities } = device.capabilities ?? makeCapabilities(device.role);
      return {
        ...device,
        capabilities: {
          ...capabilities,
          tls: { ...tls, suites },
          brokers: brokers.map((broker) => ({ ...broker, tls: { ...broker.tls, suites } })),
        },
      };
    }),
  };
}

const suites = [
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES256-SHA',
  'DHE-RSA-CHACHA20-POLY1305',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
];

/** Separate devices connected by Ethernet, WiFi and LTE, so that every claim is testable. */
export function makeWideTestbed(): TestbedCapabilities {
  const kinds = ['ethernet', 'wifi', 'cellular'] as const;
  const interfaces = kinds.map((kind, index) => ({
    name: `if${index}`,
    kind,
    address: `192.0.2.${index + 1}`,
    up: true,
  }));
  const names = { ethernet: 'ethernet', wifi: 'wifi', cellular: 'lte' };
  const testbed = makeTestbed({
    links: kinds.map((kind, index) => ({ name: names[kind], interfaces: { 'local-broker': `if${index}` } })),
  });
  const devices = testbed.devices.map((device) => ({
    ...device,
    capabilities: makeCapabilities(device.role, { interfaces }),
  }));
  return withSuites({ ...testbed, devices }, suites);
}
