import { expect, test } from 'vitest';
import { makeTestPayloadKeys } from '../load/testing/payload-keys.ts';
import { readPayloadKey } from './path/payload-path.ts';
import { payloadCiphers } from './payload-ciphers.ts';

test.each(payloadCiphers)(
  '$id accepts the key that a server creates for it, the same at both ends',
  (cipher) => {
    const { publisher, subscriber } = makeTestPayloadKeys(cipher);
    const key = readPayloadKey(cipher, publisher);
    expect(key).toHaveLength(cipher.keyBytes);
    expect(readPayloadKey(cipher, subscriber)).toEqual(key);
    expect(readPayloadKey(cipher, makeTestPayloadKeys(cipher).publisher)).not.toEqual(key);
  },
);

test.each(payloadCiphers)('$id refuses a missing key and one of the other kind with a reason', (cipher) => {
  const [other] = payloadCiphers.filter(
    ({ keyAgreement }) => (keyAgreement === null) !== (cipher.keyAgreement === null),
  );
  if (other === undefined) throw new Error('there are ciphers of both kinds');
  const wanted = cipher.keyAgreement === null ? 'secret' : 'agreement';
  expect(() => readPayloadKey(cipher, null)).toThrow(
    `${cipher.id} needs a key of the kind "${wanted}", not none`,
  );
  expect(() => readPayloadKey(cipher, makeTestPayloadKeys(other).publisher)).toThrow(`not "`);
});

test('a secret of another size is refused without being shown', () => {
  const [cipher] = payloadCiphers;
  if (cipher === undefined) throw new Error('there is a cipher');
  const secret = Buffer.alloc(5, 0x41).toString('base64');
  const read = () => readPayloadKey(cipher, { kind: 'secret', secret });
  expect(read).toThrow(/bytes of key material/);
  expect(read).toThrow(/^(?!.*QUFB).*$/);
});
