import { expect, it } from 'vitest';
import { writeDevicePrograms } from './programs.ts';

const access = {
  device: { name: 'node-3', role: 'publisher', port: 1884, tlsPort: 8884, waitSeconds: 60, roundTrip: true },
  password: 'a"b',
  payloadKey: '-----BEGIN PRIVATE KEY-----\nAAAA\nBB\n-----END PRIVATE KEY-----\n',
  authority: '-----BEGIN CERTIFICATE-----\nCC\n-----END CERTIFICATE-----\n',
  serverName: 'mqttlab',
  addresses: [],
} as const;

it('fills every placeholder of every template', () => {
  for (const { label, text } of writeDevicePrograms({ ...access, addresses: [] }, '192.0.2.7')) {
    expect(text, label).not.toMatch(/__[A-Z0-9_]+__/);
    expect(text, label).toContain('"192.0.2.7"');
    expect(text, label).toContain('1884');
    expect(text, label).toContain('"a\\"b"');
    expect(text, label).toContain('-----BEGIN CERTIFICATE-----\nCC\n');
  }
});
