import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeTestSpec } from '../../testing/specs.ts';
import { CiphertextSample } from './payload-sealing.ts';

const layout = { nonceBytes: 12, tagBytes: 16, paddedTo: null } as const;
const spec = makeTestSpec({ readingsPerSecond: 1_000, measureMs: 1_000 });

function testOf(ciphertexts: Iterable<Buffer>) {
  const sample = new CiphertextSample(spec, { layout });
  const room = Buffer.alloc(600);
  for (const ciphertext of ciphertexts) {
    ciphertext.copy(room);
    sample.offer(room.subarray(0, ciphertext.length));
  }
  return sample.test();
}

test('a hundred messages, spread over the run, each tested separately', () => {
  const random = Array.from({ length: 1_000 }, () => randomBytes(512));
  for (const { messages, passed, meanP } of testOf(random)) {
    expect(messages).toBe(100);
    expect(passed).toBeGreaterThan(85);
    expect(meanP).toBeGreaterThan(0.35);
    expect(meanP).toBeLessThan(0.65);
  }
});

test('nonces are omitted, and non-random data fails', () => {
  const nonce = Buffer.alloc(12);
  const good = Array.from({ length: 1_000 }, () => Buffer.concat([nonce, randomBytes(20)]));
  const monobit = testOf(good).find((entry) => entry.test === 'monobit');
  expect(monobit?.passed).toBeGreaterThan(85);
  const text = Array.from({ length: 1_000 }, () => Buffer.concat([nonce, Buffer.alloc(256, '{"t": 21.5}')]));
  for (const { passed } of testOf(text)) expect(passed).toBe(0);
});

test('too few bits have no statistics', () => {
  expect(testOf([randomBytes(12 + 12)])).toEqual([]);
  expect(testOf([randomBytes(12 + 13)]).map((entry) => entry.test)).toEqual(['monobit', 'runs']);
  expect(testOf([])).toEqual([]);
});
