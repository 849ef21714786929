import { randomBytes } from 'node:crypto';
import { payloadEncodingDefinitions } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { fc } from '@mqttlab/shared/testing/properties';
import { describe, expect, test } from 'vitest';
import { base64Json, encodingFailures, payloadEncodings } from './payload-encodings.ts';

const sentMs = 1_760_000_000_000;

test('are those of the catalogue, under their names', () => {
  expect(Object.keys(payloadEncodings)).toEqual(Object.keys(payloadEncodingDefinitions));
  for (const [name, encoding] of Object.entries(payloadEncodings)) expect(encoding.name).toBe(name);
});

describe.each(Object.values(payloadEncodings).map((encoding) => [encoding.name, encoding] as const))(
  '%s',
  (name, encoding) => {
    test.each([0, 1, 2, 3, 15, 16, 17, 100, 1_024, 10_240])('%i bytes are restored', (bytes) => {
      const payload = randomBytes(bytes);
      const encoded = Buffer.alloc(encoding.maxEncodedBytes(bytes));
      const length = encoding.encode(payload, sentMs, encoded);
      expect(length).toBe(payloadEncodingDefinitions[name].encodedBytes(bytes));
      const out = Buffer.alloc(length);
      expect(encoding.decode(encoded.subarray(0, length), out)).toBe(bytes);
      expect(out.subarray(0, bytes)).toEqual(payload);
    });

    test('too little room is a failure', () => {
      const payload = randomBytes(30);
      const room = encoding.maxEncodedBytes(30);
      expect(encoding.encode(payload, sentMs, Buffer.alloc(room - 1))).toBe(encodingFailures.outputTooSmall);
      const encoded = Buffer.alloc(room);
      const length = encoding.encode(payload, sentMs, encoded);
      expect(encoding.decode(encoded.subarray(0, length), Buffer.alloc(29))).toBe(
        encodingFailures.outputTooSmall,
      );
    });
  },
);

describe('base64 in JSON', () => {
  const encode = (payload: Uint8Array, atMs = sentMs) => {
    const out = Buffer.alloc(base64Json.maxEncodedBytes(payload.length));
    return out.subarray(0, base64Json.encode(payload, atMs, out));
  };
  const decode = (text: Uint8Array | string) => base64Json.decode(Buffer.from(text), Buffer.alloc(10_000));

  test('is JSON with the send time, 4/3 of the bytes and 26 more', () => {
    const payload = randomBytes(300);
    const encoded = encode(payload, sentMs + 0.7);
    expect(JSON.parse(encoded.toString())).toEqual({ t: sentMs, d: payload.toString('base64') });
    expect(encoded.length).toBe(400 + 26);
    expect(encode(payload, 5).length).toBe(400 + 26 - 12);
  });

  test.each([
    ['nothing', ''],
    ['other bytes', '\u0000\u0001\u0002'],
    ['other JSON', '{"time":1,"d":""}'],
    ['no time', '{"t":,"d":""}'],
    ['a time with a leading zero', '{"t":01,"d":""}'],
    ['a negative time', '{"t":-1,"d":""}'],
    ['too many digits', `{"t":${'9'.repeat(17)},"d":""}`],
    ['no end', '{"t":1,"d":"aGVsbG8="'],
    ['something after the end', '{"t":1,"d":"aGVsbG8="} '],
    ['a second member', '{"t":1,"d":"aGVs","e":"bG8="}'],
    ['three characters', '{"t":1,"d":"aGV"}'],
    ['a character that is not base64', '{"t":1,"d":"aGVs bG8"}'],
    ['padding in the middle', '{"t":1,"d":"aG==bG8="}'],
  ])('%s is malformed', (_case, text) => {
    expect(decode(text)).toBe(encodingFailures.malformed);
  });

  test('never throws, and accepted bytes decode to the result of JSON.parse', () => {
    const genuine = encode(Buffer.from('hello'));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 4 }), fc.nat(genuine.length), (noise, at) => {
        const changed = Buffer.from(genuine);
        changed.set(noise.subarray(0, changed.length - at), at);
        const out = Buffer.alloc(changed.length);
        const bytes = base64Json.decode(changed, out);
        if (bytes < 0) return;
        const { d } = JSON.parse(changed.toString('latin1'));
        expect(out.subarray(0, bytes)).toEqual(Buffer.from(d, 'base64'));
      }),
      { numRuns: 500 },
    );
  });
});
