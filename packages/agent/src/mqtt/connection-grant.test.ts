import { Failure } from '@mqttlab/shared/kit/failure';
import { fc } from '@mqttlab/shared/testing/properties';
import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { parseConnack } from './connection-grant.ts';

const u16 = fc.integer({ min: 1, max: 65_535 });

describe('parseConnack', () => {
  it('parses every property of another encoder', () => {
    const properties = fc.record(
      {
        receiveMaximum: u16,
        maximumPacketSize: fc.integer({ min: 1, max: 268_435_455 }),
        maximumQoS: fc.constantFrom(0, 1),
        serverKeepAlive: u16,
        topicAliasMaximum: u16,
        retainAvailable: fc.boolean(),
        sessionExpiryInterval: u16,
        assignedClientIdentifier: fc.string({ minLength: 1, maxLength: 30 }),
        reasonString: fc.string({ minLength: 1, maxLength: 200 }),
        userProperties: fc.constant({ key: 'value', other: 'text' }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(properties, fc.constantFrom(0, 0x80, 0x87), (written, reasonCode) => {
        const sessionPresent = reasonCode === 0;
        const packet = generate(
          { cmd: 'connack', reasonCode, sessionPresent, properties: written },
          { protocolVersion: 5 },
        );
        expect(parseConnack(packet, '5.0')).toEqual({
          code: reasonCode,
          reason: written.reasonString ?? null,
          sessionPresent,
          receiveMaximum: written.receiveMaximum ?? 65_535,
          maximumPacketBytes: written.maximumPacketSize ?? null,
          maximumQos: written.maximumQoS ?? 2,
          serverKeepAliveS: written.serverKeepAlive ?? 0,
        });
      }),
    );
  });

  it('has only a return code before MQTT 5', () => {
    expect(parseConnack(Buffer.from([0x20, 2, 0, 5]), '3.1.1')).toEqual({
      code: 5,
      reason: null,
      sessionPresent: false,
      receiveMaximum: null,
      maximumPacketBytes: null,
      maximumQos: 2,
      serverKeepAliveS: 0,
    });
  });

  it('of an older broker that refuses MQTT 5 has no properties either', () => {
    expect(parseConnack(Buffer.from([0x20, 2, 0, 1]), '5.0')).toMatchObject({
      code: 1,
      receiveMaximum: null,
    });
  });

  it.each([
    ['no return code', [0x20, 1, 0]],
    ['truncated properties', [0x20, 4, 0, 0, 9, 33]],
    ['an unknown property', [0x20, 5, 0, 0, 2, 99, 1]],
  ])('refuses %s', (_what, bytes) => {
    expect(() => parseConnack(Buffer.from(bytes), '5.0')).toThrow(Failure);
  });
});
