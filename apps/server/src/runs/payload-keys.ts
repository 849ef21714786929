import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { PayloadKey, PrepareClient } from '@mqttlab/shared/messages/agent';
import { RunError } from './to-failure.ts';

type PayloadKeys = Readonly<Record<PrepareClient['role'], PayloadKey | null>>;

/**
 * Fresh keys of one Run: they travel to its two client devices and are kept nowhere. A shared secret, or for each end
 * its own private and the other's public key on P-256. Throws RunError on a cipher that is not in the catalogue.
 */
export function makePayloadKeys({ payloadCipher }: Pick<TrialSpec, 'payloadCipher'>): PayloadKeys {
  if (payloadCipher === null) return { publisher: null, subscriber: null };
  const cipher = findPayloadCipherDefinition(payloadCipher);
  if (cipher === undefined) {
    throw new RunError({
      code: 'payload-cipher',
      message: `This server knows no payload cipher "${payloadCipher}".`,
      remedy: 'Choose another level of the factor "Payload cipher", or upgrade the server.',
    });
  }
  if (cipher.keyAgreement === null) {
    const key = { kind: 'secret', secret: randomBytes(cipher.keyBytes).toString('base64') } as const;
    return { publisher: key, subscriber: key };
  }
  const [publisher, subscriber] = [makeKeyPair(), makeKeyPair()];
  const half = (own: typeof publisher, peer: typeof publisher) =>
    ({ kind: 'agreement', ownPrivateKey: own.privateKey, peerPublicKey: peer.publicKey }) as const;
  return { publisher: half(publisher, subscriber), subscriber: half(subscriber, publisher) };
}

/** NIST P-256, which is secp256r1, in PEM. */
function makeKeyPair(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}
