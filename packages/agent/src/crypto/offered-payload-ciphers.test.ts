import { expect, test } from 'vitest';
import { findOfferedPayloadCiphers } from './offered-payload-ciphers.ts';
import { payloadCiphers } from './payload-ciphers.ts';

test('this Node has the primitives of every payload cipher', () => {
  expect(findOfferedPayloadCiphers()).toEqual(payloadCiphers.map(({ id }) => id));
});

test('a cipher whose primitive is missing, or computes something else, is not offered', () => {
  const [first, second, third] = payloadCiphers;
  if (!first || !second || !third) throw new Error('there are three ciphers at least');
  const missing = {
    ...first,
    make: (): never => {
      throw new Error('Unknown cipher');
    },
  };
  const wrong = {
    ...second,
    make: () => ({ ...second.make(Buffer.alloc(second.keyBytes)), decrypt: () => 20 }),
  };
  expect(findOfferedPayloadCiphers([missing, wrong, third])).toEqual([third.id]);
});
