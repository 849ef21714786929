import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeAesGcmBox } from './ciphers/aes-gcm.ts';
import { makeFramedEnd } from './framed-end.ts';
import { NonceSource, nonceBytes, prefixBytes, readUint32 } from './nonce-source.ts';
import { cipherFailures, nameCipherFailure } from './payload-cipher.ts';
import { makeRandomVectors } from './random-vectors.ts';

test('100,000 nonces of two connections are 200,000 different ones', () => {
  const seen = new Set<string>();
  const nonce = Buffer.alloc(nonceBytes);
  for (const source of [
    new NonceSource(randomBytes(prefixBytes)),
    new NonceSource(randomBytes(prefixBytes)),
  ]) {
    for (let i = 0; i < 100_000; i += 1) {
      source.writeNext(nonce);
      seen.add(nonce.toString('latin1'));
    }
  }
  expect(seen.size).toBe(200_000);
});

test('100,000 random vectors are 100,000 different ones', () => {
  const take = makeRandomVectors();
  const seen = new Set<string>();
  for (let i = 0; i < 100_000; i += 1) seen.add(Buffer.from(take()).toString('latin1'));
  expect(seen.size).toBe(100_000);
});

test('after the last of 2^32 numbers there is no nonce any more, and encryption refuses', () => {
  const source = new NonceSource(randomBytes(prefixBytes), 0xffff_ffff);
  const end = makeFramedEnd(makeAesGcmBox(randomBytes(16)), { nonces: source });
  const out = Buffer.alloc(64);
  expect(end.encrypt(Buffer.from('last'), out, Buffer.alloc(0))).toBe(32);
  expect(readUint32(out, prefixBytes)).toBe(0xffff_ffff);
  const before = Buffer.from(out);
  const result = end.encrypt(Buffer.from('next'), out, Buffer.alloc(0));
  expect(result).toBe(cipherFailures.nonceExhausted);
  expect(nameCipherFailure(result)).toBe('nonceExhausted');
  expect(nameCipherFailure(5)).toBeNull();
  expect(out).toEqual(before);
});
