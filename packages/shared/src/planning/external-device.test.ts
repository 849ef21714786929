import { describe, expect, test } from 'vitest';
import { deviceCiphers } from '../catalogue/external-device/protocol.ts';
import { externalDeviceSchema } from '../domain/devices/external-device.ts';
import { makeDraft, makeTestbed, makeWorkload } from '../testing/factories.ts';
import { parsePlan } from './parse-plan.ts';

const externalDevice = externalDeviceSchema.parse({ name: 'node-3' });
const subscriber = makeTestbed({ externalDevice: { ...externalDevice, role: 'subscriber' } });
const possible = {
  client: ['external device'],
  mqttVersion: ['3.1.1'],
  security: ['plain', 'TLS 1.2'],
  cipherSuite: ['ECDHE-RSA-AES256-GCM-SHA384'],
  certificate: ['RSA 2048'],
  rate: [10],
  qos: [0, 1, 2],
};

function plan(factors: Record<string, (string | number)[]>, testbed = makeTestbed({ externalDevice })) {
  const workload = makeWorkload({ kind: 'stream' });
  return parsePlan(makeDraft({ factors: { ...possible, ...factors }, workload }), testbed);
}

describe('a device without an agent', () => {
  test('publishes in the clear and under TLS, at every QoS', () => {
    const parsed = plan({});
    expect(parsed.ok && parsed.plan.treatments.map(({ spec }) => [spec.client, spec.security])).toHaveLength(
      6,
    );
    expect(parsed.ok && parsed.plan.excluded).toEqual([]);
  });

  test('encrypts with the hybrid ciphers that its programs have', () => {
    const parsed = plan({ qos: [1], payloadCipher: ['none', ...deviceCiphers] });
    expect(parsed.ok && [parsed.plan.treatments.length, parsed.plan.excluded]).toEqual([6, []]);
  });

  test.each([
    ['mqttVersion', '5.0', 'node-3 supports only MQTT 3.1.1'],
    ['transport', 'websocket', 'node-3 connects over TCP'],
    ['payloadCipher', 'aes-256-gcm', 'node-3 encrypts payloads with ECDH P-256 and AES-128 only'],
    ['publishers', 2, 'node-3 is one publisher'],
    ['rate', 'max', 'node-3 sends on a schedule'],
    ['clientCertificate', 'mutual TLS', 'node-3 logs in with its password'],
    ['readingBytes', 10, 'a payload of 10 B has no room for the stamp of 20 B'],
  ])('is refused %s %s, with the reason', (factor, level, reason) => {
    const parsed = plan({ security: ['TLS 1.2'], [factor]: [level] });
    const text = JSON.stringify(parsed.ok ? parsed.plan.excluded : parsed.issues);
    expect(text).toContain(reason);
  });

  test('as the subscriber can receive from several publishers at any rate, and unsupported levels are refused', () => {
    const parsed = plan({ publishers: [1, 3], rate: ['max'] }, subscriber);
    expect(parsed.ok && [parsed.plan.treatments.length, parsed.plan.excluded]).toEqual([12, []]);
    for (const [factor, level, reason] of [
      ['subscribers', 2, 'node-3 is one subscriber'],
      ['payloadCipher', 'ecdh-p256-aes-128-gcm', 'node-3 returns payloads unchanged'],
    ] as const) {
      const refused = plan({ [factor]: [level] }, subscriber);
      expect(JSON.stringify(refused.ok ? refused.plan.excluded : refused.issues)).toContain(reason);
    }
  });

  test('is a level only where the testbed has one', () => {
    const parsed = plan({}, makeTestbed());
    expect(JSON.stringify(parsed.ok ? parsed.plan.excluded : parsed.issues)).toContain(
      'this testbed has no external device',
    );
  });
});
