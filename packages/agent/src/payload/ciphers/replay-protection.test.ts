import { randomBytes } from 'node:crypto';
import { fc } from '@mqttlab/shared/testing/properties';
import { expect, test } from 'vitest';
import { makeAesGcmBox } from './aead.ts';
import { makeRandomVectors } from './ecdh-aes-cbc-as-published.ts';
import {
  cipherFailures,
  freshness,
  makeFramedEnd,
  NonceSource,
  nameCipherFailure,
  nonceBytes,
  prefixBytes,
  ReplayWindow,
  readUint32,
  replayWindowMessages,
  SenderTable,
} from './payload-cipher.ts';

test('100,000 nonces of two connections are all different', () => {
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

test('100,000 random vectors are all different', () => {
  const take = makeRandomVectors();
  const seen = new Set<string>();
  for (let i = 0; i < 100_000; i += 1) seen.add(Buffer.from(take()).toString('latin1'));
  expect(seen.size).toBe(100_000);
});

test('after the last of 2^32 numbers no nonce is left, and encryption fails', () => {
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

test('agrees with a set of everything seen, within the window', () => {
  const sequences = fc.array(fc.oneof(fc.nat(300), fc.integer({ min: 0, max: 12_000 })), { maxLength: 300 });
  fc.assert(
    fc.property(sequences, fc.constantFrom(0, 2 ** 31 - 100, 2 ** 32 - 12_001), (offsets, start) => {
      const window = new ReplayWindow();
      const seen = new Set<number>();
      let newest = -1;
      for (const offset of offsets) {
        const sequence = start + offset;
        const result = window.accept(sequence);
        if (seen.has(sequence)) expect(result).toBe(freshness.replayed);
        else if (sequence > newest) expect(result).toBe(freshness.fresh);
        else if (newest - sequence < replayWindowMessages - 31) expect(result).toBe(freshness.reordered);
        else if (newest - sequence > replayWindowMessages + 31) expect(result).toBe(freshness.replayed);
        if (result !== freshness.replayed) seen.add(sequence);
        newest = Math.max(newest, sequence);
      }
    }),
    { numRuns: 60 },
  );
});

test('a jump over the whole ring keeps all numbers still in the window', () => {
  const window = new ReplayWindow();
  window.accept(5);
  window.accept(5 + 64 * 32);
  expect(window.accept(5)).toBe(freshness.replayed);
  expect(window.accept(5 + 63 * 32)).toBe(freshness.reordered);
  expect(window.accept(5 + 63 * 32)).toBe(freshness.replayed);
});

test('senders differ by all 64 bits of their prefix, even if half of it is the same', () => {
  const table = new SenderTable();
  const window = table.windowOf(1, 7);
  expect(table.windowOf(1, 7)).toBe(window);
  expect(table.windowOf(2, 7)).not.toBe(window);
  expect(table.windowOf(1, 8)).not.toBe(window);
  expect(table.windowOf(1, 7)).toBe(window);
});

test('one sender above the table size is refused with a reason', () => {
  const box = makeAesGcmBox(Buffer.alloc(16, 1));
  const receiver = makeFramedEnd(box, { senders: new SenderTable(1) });
  const [sealed, out] = [Buffer.alloc(28), Buffer.alloc(28)];
  const results = [0, 1].map(() => {
    makeFramedEnd(box).encrypt(Buffer.alloc(0), sealed, Buffer.alloc(0));
    return receiver.decrypt(sealed, out, Buffer.alloc(0));
  });
  expect(results).toEqual([0, cipherFailures.tooManySenders]);
});
