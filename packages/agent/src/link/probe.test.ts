import { agentCapabilitiesSchema } from '@mqttlab/shared/domain/devices/capabilities';
import { expect, test } from 'vitest';
import { makeTestRecords } from '../testing/child-records.ts';
import { testEntry } from '../testing/entry.ts';
import { probeFixedCapabilities, readCapabilities } from './capabilities.ts';

const options = {
  procRoot: '/proc',
  sysRoot: '/sys',
  meterUrl: null,
  get records() {
    return makeTestRecords();
  },
  supplyVolts: null,
  dataFolder: '/tmp',
  entry: testEntry,
  shaping: () => null,
} as const;

test('the capabilities of this machine match the contract', async () => {
  const probe = { ...options, brokers: ['mosquitto', 'embedded'] } as const;
  const capabilities = await readCapabilities(probe, await probeFixedCapabilities(probe));
  expect(agentCapabilitiesSchema.parse(capabilities)).toEqual(capabilities);
  expect(capabilities.brokers.map(({ kind }) => kind)).toEqual(['mosquitto', 'embedded']);
  expect(capabilities.brokers[0]?.mqttVersions).toContain('5.0');
  // At least the estimate is available; hardware counters work, or there is a reason.
  expect(capabilities.energy.at(-1)).toMatchObject({ quality: 'modelled', detail: 'Raspberry Pi 4B' });
  expect(capabilities.perfRefusal === null || capabilities.perfRefusal.length > 10).toBe(true);
  expect(capabilities.bootId).toMatch(/^[0-9a-f-]{36}$/);
  expect(capabilities.payloadCiphers).toContain('aes-256-gcm');
  expect(capabilities.diskFreeBytes).toBeGreaterThan(0);
});

test('only the configured brokers are announced, in that order', async () => {
  const probe = { ...options, brokers: ['embedded'] } as const;
  const { offers } = await probeFixedCapabilities(probe);
  expect(offers.map(({ capability }) => capability.kind)).toEqual(['embedded']);
});
