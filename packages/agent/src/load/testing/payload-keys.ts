import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { PayloadKey } from '@mqttlab/shared/messages/agent';
import type { PayloadCipher } from '../../payload/ciphers/payload-cipher.ts';

/** Keys as created by the server for a run. */
export function makeTestPayloadKeys({ keyAgreement, keyBytes }: PayloadCipher): {
  publisher: PayloadKey;
  subscriber: PayloadKey;
} {
  if (keyAgreement === null) {
    const key = { kind: 'secret', secret: randomBytes(keyBytes).toString('base64') } as const;
    return { publisher: key, subscriber: key };
  }
  const [publisher, subscriber] = [makeKeyPair(), makeKeyPair()];
  return {
    publisher: {
      kind: 'agreement',
      ownPrivateKey: publisher.privateKey,
      peerPublicKey: subscriber.publicKey,
    },
    subscriber: {
      kind: 'agreement',
      ownPrivateKey: subscriber.privateKey,
      peerPublicKey: publisher.publicKey,
    },
  };
}

function makeKeyPair() {
  return generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}
