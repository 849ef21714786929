import { expect, test } from 'vitest';
import { findOfferedPayloadCiphers, payloadCiphers } from './payload-ciphers.ts';

test('this Node has the primitives of every payload cipher', async () => {
  expect(await findOfferedPayloadCiphers()).toEqual(payloadCiphers.map(({ id }) => id));
});

test('a cipher whose primitive is missing or wrong is not offered', async () => {
  const [first, second, third] = payloadCiphers;
  if (!first || !second || !third) throw new Error('there are three ciphers at least');
  const missing = { ...first, prepare: () => Promise.reject(new Error('Unknown cipher')) };
  const end = (await second.prepare(Buffer.alloc(second.keyBytes)))();
  const wrong = { ...second, prepare: async () => () => ({ ...end, decrypt: () => 20 }) };
  expect(await findOfferedPayloadCiphers([missing, wrong, third])).toEqual([third.id]);
});
