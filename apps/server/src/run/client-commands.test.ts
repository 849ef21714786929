import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import { payloadCipherDefinitions } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { payloadKeySchema } from '@mqttlab/shared/messages/agent';
import { describe, expect, it } from 'vitest';
import { makePayloadKeys } from './legs.ts';

describe.each(payloadCipherDefinitions)('keys for $id', (cipher) => {
  it('have the required kind and size, match, and differ in every run', () => {
    const { publisher, subscriber } = makePayloadKeys({ payloadCipher: cipher.id });
    for (const key of [publisher, subscriber]) expect(payloadKeySchema.parse(key)).toEqual(key);
    expect(makePayloadKeys({ payloadCipher: cipher.id })).not.toEqual({ publisher, subscriber });
    if (publisher?.kind === 'secret') {
      expect(cipher.keyAgreement).toBeNull();
      expect(Buffer.from(publisher.secret, 'base64')).toHaveLength(cipher.keyBytes);
      expect(subscriber).toEqual(publisher);
      return;
    }
    expect(cipher.keyAgreement).toBe('ecdh-p256');
    const agreed = [publisher, subscriber].map((key) => {
      if (key?.kind !== 'agreement') throw new Error('both ends have key pairs');
      const privateKey = createPrivateKey(key.ownPrivateKey);
      expect(privateKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
      return diffieHellman({ privateKey, publicKey: createPublicKey(key.peerPublicKey) });
    });
    expect(agreed[0]).toEqual(agreed[1]);
  });
});

it('makes none without a cipher, and a placeholder name for an unknown cipher', () => {
  expect(makePayloadKeys({ payloadCipher: null })).toEqual({ publisher: null, subscriber: null });
  expect(() => makePayloadKeys({ payloadCipher: 'rot13' })).toThrow('the payload cipher "rot13"');
});
