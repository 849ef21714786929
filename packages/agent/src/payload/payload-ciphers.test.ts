import { randomBytes } from 'node:crypto';
import {
  expansionBytesOf,
  payloadCipherDefinitions,
} from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { describe, expect, test } from 'vitest';
import { cipherFailures, type PayloadCipher } from './ciphers/payload-cipher.ts';
import { findPayloadCipher, payloadCiphers } from './payload-ciphers.ts';

const topic = Buffer.from('lab/bench-1');
const message = Buffer.from('21.5 C');

async function makePair(cipher: PayloadCipher) {
  const makeEnd = await cipher.prepare(randomBytes(cipher.keyBytes));
  const [sender, receiver] = [makeEnd(), makeEnd()];
  return {
    seal: (plain: Uint8Array, under = topic) => {
      const out = Buffer.alloc(plain.length + expansionBytesOf(cipher, plain.length));
      expect(sender.encrypt(plain, out, under)).toBe(out.length);
      return out;
    },
    open: (sealed: Uint8Array, under = topic) => {
      const out = Buffer.alloc(sealed.length);
      const bytes = receiver.decrypt(sealed, out, under);
      return bytes < 0 ? bytes : out.subarray(0, bytes);
    },
    receiver,
  };
}

const isAuthenticated = (cipher: PayloadCipher) => cipher.layout.tagBytes > 0;

test('are those of the catalogue, with the same texts and order', () => {
  const words = payloadCiphers.map(({ prepare: _prepare, ...definition }) => definition);
  expect(words).toEqual(payloadCipherDefinitions);
  for (const cipher of payloadCiphers) expect(findPayloadCipher(cipher.id)).toBe(cipher);
  expect(findPayloadCipher('rot13')).toBeUndefined();
});

test('only the published scheme has no authentication code, which its id shows', () => {
  const open = payloadCiphers.filter((cipher) => !isAuthenticated(cipher)).map(({ id }) => id);
  expect(open).toEqual(['ecdh-p256-aes-128-cbc-as-published']);
});

describe.each(payloadCiphers.map((cipher) => [cipher.id, cipher] as const))('%s', (_id, cipher) => {
  test.each([0, 1, 15, 16, 17, 100, 1_024, 10_240])(
    '%i bytes are restored, expanded as announced',
    async (bytes) => {
      const { seal, open } = await makePair(cipher);
      const plain = randomBytes(bytes);
      const sealed = seal(plain);
      expect(open(sealed)).toEqual(plain);
      if (bytes >= 100) expect(sealed.includes(plain.subarray(0, 16))).toBe(false);
    },
  );

  test('a wrong size of key is an error that names both sizes', async () => {
    for (const wrong of [0, cipher.keyBytes - 1, cipher.keyBytes + 1]) {
      await expect(cipher.prepare(randomBytes(wrong))).rejects.toThrow(/bytes of key material/);
    }
    const sizes = `${cipher.keyBytes} bytes of key material, not 1`;
    await expect(cipher.prepare(randomBytes(1))).rejects.toThrow(sizes);
  });

  test('too little room is a failure, and the next message succeeds', async () => {
    const { seal, open, receiver } = await makePair(cipher);
    const end = (await cipher.prepare(randomBytes(cipher.keyBytes)))();
    const room = message.length + expansionBytesOf(cipher, message.length) - 1;
    expect(end.encrypt(message, Buffer.alloc(room), topic)).toBe(cipherFailures.outputTooSmall);
    const tight = Buffer.alloc(message.length - 1);
    expect(receiver.decrypt(seal(message), tight, topic)).toBe(cipherFailures.outputTooSmall);
    expect(open(seal(message))).toEqual(message);
  });

  test('anything shorter than an empty message is too short', async () => {
    const { open } = await makePair(cipher);
    for (let bytes = 0; bytes < expansionBytesOf(cipher, 0); bytes += 1) {
      expect(open(randomBytes(bytes))).toBe(cipherFailures.tooShort);
    }
  });

  test('the same message twice under one key differs on the wire', async () => {
    const makeEnd = await cipher.prepare(randomBytes(cipher.keyBytes));
    const out = [0, 1].map(() => Buffer.alloc(message.length + expansionBytesOf(cipher, message.length)));
    const sender = makeEnd();
    for (const buffer of out) sender.encrypt(message, buffer, topic);
    expect(out[0]).not.toEqual(out[1]);
    makeEnd().encrypt(message, out[1]!, topic);
    expect(out[0]!.subarray(0, 8)).not.toEqual(out[1]!.subarray(0, 8));
  });
});

describe.each(payloadCiphers.filter(isAuthenticated).map((cipher) => [cipher.id, cipher] as const))(
  '%s is authenticated',
  (_id, cipher) => {
    test('every flipped bit is refused, and then nothing of the message is in the output', async () => {
      const { seal, open, receiver } = await makePair(cipher);
      const sealed = seal(message);
      for (let bit = 0; bit < 8 * sealed.length; bit += 1) {
        const tampered = Buffer.from(sealed);
        tampered[bit >> 3]! ^= 1 << (bit & 7);
        const out = Buffer.alloc(sealed.length);
        expect(receiver.decrypt(tampered, out, topic)).toBe(cipherFailures.authentication);
        expect(out.every((byte) => byte === 0)).toBe(true);
      }
      expect(open(sealed)).toEqual(message);
    });

    test('shorter, longer, under another topic or another key is refused', async () => {
      const { seal, open } = await makePair(cipher);
      const sealed = seal(message);
      for (let bytes = expansionBytesOf(cipher, 0); bytes < sealed.length; bytes += 1) {
        expect(open(sealed.subarray(0, bytes))).toBe(cipherFailures.authentication);
      }
      expect(open(Buffer.concat([sealed, Buffer.alloc(1)]))).toBe(cipherFailures.authentication);
      expect(open(sealed, Buffer.from('lab/bench-2'))).toBe(cipherFailures.authentication);
      expect((await makePair(cipher)).open(sealed)).toBe(cipherFailures.authentication);
      expect(open(sealed)).toEqual(message);
    });

    test('a payload is accepted once; a late one is reported', async () => {
      const { seal, open, receiver } = await makePair(cipher);
      const [first, second, third] = [seal(message), seal(message), seal(message)];
      expect(open(first)).toEqual(message);
      expect(open(third)).toEqual(message);
      expect(receiver.reordered).toBe(false);
      expect(open(second)).toEqual(message);
      expect(receiver.reordered).toBe(true);
      for (const again of [first, second, third]) expect(open(again)).toBe(cipherFailures.replayed);
    });

    test('nonces are the prefix of the connection and a number that increases by one', async () => {
      const { seal } = await makePair(cipher);
      const prefix = seal(message).subarray(0, 8);
      for (let sequence = 1; sequence < 500; sequence += 1) {
        const sealed = seal(message);
        expect(sealed.subarray(0, 8)).toEqual(prefix);
        expect(sealed.readUInt32BE(8)).toBe(sequence);
      }
    });
  },
);
