import { deflateRawSync } from 'node:zlib';
import { mqttVersions } from '@mqttlab/shared/domain/plans/trial-spec';
import { generate, type Packet, parser } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { makeTestSpec } from '../testing/specs.ts';
import {
  encodeConnect,
  encodeDisconnect,
  encodePing,
  encodeSubscribe,
  makePublishTemplate,
} from './packets.ts';

const levels = { '3.1': 3, '3.1.1': 4, '5.0': 5 } as const;

function decode(bytes: Uint8Array, protocolVersion: 3 | 4 | 5): Packet[] {
  const packets: Packet[] = [];
  const incoming = parser({ protocolVersion });
  incoming.on('packet', (packet) => packets.push(packet));
  incoming.parse(Buffer.from(bytes));
  return packets;
}

describe.each(mqttVersions)('MQTT %s packets', (mqttVersion) => {
  const protocolVersion = levels[mqttVersion];

  it('encodes CONNECT like another encoder', () => {
    const protocolId = mqttVersion === '3.1' ? 'MQIsdp' : 'MQTT';
    const clean = { clean: true, keepalive: 0 };
    expect(encodeConnect(mqttVersion, { clientId: 'lab-1-p0' })).toEqual(
      generate({ cmd: 'connect', clientId: 'lab-1-p0', protocolId, protocolVersion, ...clean }),
    );
  });

  it('encodes user name and password like another encoder', () => {
    const protocolId = mqttVersion === '3.1' ? 'MQIsdp' : 'MQTT';
    const options = { clean: true, keepalive: 0, clientId: 'lab-1-p0', protocolId, protocolVersion } as const;
    for (const [username, password] of [
      ['grün', 'geheim'],
      ['reader', ''],
    ] as const) {
      const expected = generate({ cmd: 'connect', ...options, username, password: Buffer.from(password) });
      expect(
        encodeConnect(mqttVersion, { clientId: 'lab-1-p0', credentials: { username, password } }),
      ).toEqual(expected);
    }
  });

  it('requests a persistent session like another encoder', () => {
    const protocolId = mqttVersion === '3.1' ? 'MQIsdp' : 'MQTT';
    const options = { clean: false, keepalive: 0, clientId: 'lab-1-b', protocolId, protocolVersion } as const;
    const properties = mqttVersion === '5.0' ? { properties: { sessionExpiryInterval: 70_000 } } : {};
    expect(encodeConnect(mqttVersion, { clientId: 'lab-1-b', sessionExpiryS: 70_000 })).toEqual(
      generate({ cmd: 'connect', ...options, ...properties }),
    );
  });

  it('encodes SUBSCRIBE, DISCONNECT and PINGREQ like another encoder', () => {
    const spec = makeTestSpec({ mqttVersion, qos: 2, topic: 'grün/été' });
    const subscriptions = [{ topic: spec.topic, qos: 2 as const, nl: false, rap: false, rh: 0 }];
    expect(encodeSubscribe(spec)).toEqual(
      generate({ cmd: 'subscribe', messageId: 1, subscriptions }, { protocolVersion }),
    );
    expect(decode(encodeDisconnect(), protocolVersion)).toMatchObject([{ cmd: 'disconnect' }]);
    expect(encodePing()).toEqual(generate({ cmd: 'pingreq' }));
  });

  it.each([0, 1, 2] as const)('encodes a PUBLISH of QoS %i that another decoder accepts', (qos) => {
    for (const readingBytes of [1, 19, 20, 120, 16_384, 3_000_000]) {
      const spec = makeTestSpec({ mqttVersion, qos, readingBytes, topic: 'grün/été' });
      const template = makePublishTemplate(spec, 42);
      if (qos > 0) template.packet[template.packetIdAt + 1] = 9;
      const [packet] = decode(template.packet, protocolVersion);
      expect(packet).toMatchObject({ cmd: 'publish', topic: 'grün/été', qos, dup: false, retain: false });
      const payload = packet?.cmd === 'publish' ? Buffer.from(packet.payload) : Buffer.alloc(0);
      expect(payload.equals(template.packet.subarray(template.payloadAt))).toBe(true);
      expect(payload).toHaveLength(readingBytes);
      expect(packet?.messageId).toBe(qos > 0 ? 9 : undefined);
      expect(template.stamped).toBe(readingBytes >= 20);
    }
  });
});

it('fills payloads with bytes that cannot be compressed, the same for the same seed', () => {
  const spec = makeTestSpec({ readingBytes: 500, readingsPerMessage: 40 });
  const { packet, payloadAt, payloadBytes } = makePublishTemplate(spec, 7);
  const payload = packet.subarray(payloadAt);
  expect(payloadBytes).toBe(20_000);
  expect(payload).toHaveLength(20_000);
  expect(deflateRawSync(payload).length).toBeGreaterThan(19_900);
  expect(makePublishTemplate(spec, 7).packet).toEqual(packet);
  expect(makePublishTemplate(spec, 8).packet).not.toEqual(packet);
});
