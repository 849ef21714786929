import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto';
import { expansionBytesOf } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { describe, expect, test } from 'vitest';
import { cipherFailures } from './ciphers/payload-cipher.ts';
import { agreeOnKey } from './path/payload-path.ts';
import { findPayloadCipher, payloadCiphers } from './payload-ciphers.ts';

const topic = Buffer.from('lab/bench-1');

const makeKeyPair = () =>
  generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
const pem = { type: 'pkcs8', format: 'pem' } as const;
const otherCurve = generateKeyPairSync('ec', { namedCurve: 'secp384r1' });
const noCurve = generateKeyPairSync('ed25519');

describe('ECDH P-256', () => {
  const [publisher, subscriber] = [makeKeyPair(), makeKeyPair()];
  const atPublisher = { ownPrivateKey: publisher.privateKey, peerPublicKey: subscriber.publicKey };
  const atSubscriber = { ownPrivateKey: subscriber.privateKey, peerPublicKey: publisher.publicKey };

  test.each(
    payloadCiphers
      .filter((cipher) => cipher.keyAgreement !== null)
      .map((cipher) => [cipher.id, cipher] as const),
  )('both ends of %s derive one key and can decrypt each other', async (cipherId, cipher) => {
    const purpose = { cipherId, bytes: cipher.keyBytes };
    const key = agreeOnKey(atPublisher, purpose);
    expect(key).toEqual(agreeOnKey(atSubscriber, purpose));
    const sealed = Buffer.alloc(5 + expansionBytesOf(cipher, 5));
    (await cipher.prepare(key))().encrypt(Buffer.from('hello'), sealed, topic);
    const out = Buffer.alloc(sealed.length);
    const receiver = (await cipher.prepare(agreeOnKey(atSubscriber, purpose)))();
    expect(receiver.decrypt(sealed, out, topic)).toBe(5);
  });

  test('another purpose or another peer is another key', () => {
    const key = agreeOnKey(atPublisher, { cipherId: 'a', bytes: 16 });
    expect(agreeOnKey(atPublisher, { cipherId: 'b', bytes: 16 })).not.toEqual(key);
    const stranger = makeKeyPair();
    const other = { ownPrivateKey: publisher.privateKey, peerPublicKey: stranger.publicKey };
    expect(agreeOnKey(other, { cipherId: 'a', bytes: 16 })).not.toEqual(key);
  });

  test('agrees with node:crypto on the curve of RFC 5903 section 8.1', () => {
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey('c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433', 'hex');
    const peer =
      '04d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63' +
      '56fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab';
    expect(ecdh.computeSecret(peer, 'hex', 'hex')).toBe(
      'd6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de',
    );
  });

  test.each([
    ['no PEM', 'nonsense', 'private key is not readable'],
    ['another curve', otherCurve.privateKey.export(pem).toString(), 'secp384r1'],
    ['no curve', noCurve.privateKey.export(pem).toString(), 'ed25519'],
  ])('%s is refused with a reason', (_case, ownPrivateKey, reason) => {
    const keys = { ownPrivateKey, peerPublicKey: subscriber.publicKey };
    const agree = () => agreeOnKey(keys, { cipherId: 'a', bytes: 16 });
    expect(agree).toThrow(/key (is not readable|uses)/);
    expect(agree).toThrow(reason);
  });
});

const published = findPayloadCipher('ecdh-p256-aes-128-cbc-as-published')!;

describe('AES-128-CBC as published', async () => {
  const makeEnd = await published.prepare(randomBytes(16));
  const plain = Buffer.from('valve=closed;pump=off;level=0042');
  const open = (sealed: Uint8Array, under = topic) => {
    const out = Buffer.alloc(sealed.length);
    const bytes = makeEnd().decrypt(sealed, out, under);
    return bytes < 0 ? bytes : out.subarray(0, bytes);
  };
  const seal = () => {
    const sealed = Buffer.alloc(plain.length + expansionBytesOf(published, plain.length));
    makeEnd().encrypt(plain, sealed, topic);
    return sealed;
  };

  test('every flipped bit of the IV flips that bit of the first block, undetected', () => {
    const sealed = seal();
    for (let bit = 0; bit < 128; bit += 1) {
      const tampered = Buffer.from(sealed);
      tampered[bit >> 3]! ^= 1 << (bit & 7);
      const expected = Buffer.from(plain);
      expected[bit >> 3]! ^= 1 << (bit & 7);
      expect(open(tampered)).toEqual(expected);
    }
  });

  test('a message shortened to its first block and its padding, replayed or moved to another topic is accepted', () => {
    const sealed = seal();
    expect(open(sealed)).toEqual(plain);
    expect(open(sealed)).toEqual(plain);
    expect(open(sealed, Buffer.from('lab/bench-2'))).toEqual(plain);
    const garbled = Buffer.from(sealed);
    garbled[16]! ^= 1;
    expect(open(garbled)).toHaveLength(plain.length);
  });

  test('only invalid padding is detected, which a wrong key usually causes', async () => {
    const sealed = seal();
    const broken = Buffer.from(sealed);
    broken[broken.length - 17]! ^= 0x40;
    expect(open(broken)).toBe(cipherFailures.badPadding);
    expect(open(sealed.subarray(0, sealed.length - 1))).toBe(cipherFailures.tooShort);
    const out = Buffer.alloc(sealed.length);
    const strangers = Array.from({ length: 20 }, () => published.prepare(randomBytes(16)));
    const results = (await Promise.all(strangers)).map((makeStranger) =>
      makeStranger().decrypt(sealed, out, topic),
    );
    expect(results).toContain(cipherFailures.badPadding);
    expect(results).not.toContain(cipherFailures.authentication);
  });
});
