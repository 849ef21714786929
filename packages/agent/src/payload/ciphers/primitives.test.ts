import { createCipheriv } from 'node:crypto';
import { cmac } from '@noble/ciphers/aes.js';
import { salsa20, xsalsa20 } from '@noble/ciphers/salsa.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { expect, test } from 'vitest';
import { makeOmac } from './aes-eax.ts';
import {
  encryptSimonBlock,
  encryptSpeckBlock,
  expandSimonKey,
  expandSpeckKey,
  makeAesCtrHmacBox,
  makeCounterMode,
  makeHmacSha256,
  makeSalsa20Blake2bBox,
} from './encrypt-then-mac.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const none = Buffer.alloc(0);

/** The paper writes numbers with the most significant byte first; on the wire it is the last. */
const wireOrder = (paper: string) => hex(paper).reverse();

test.each([
  {
    name: 'SIMON-128/128',
    expandKey: expandSimonKey,
    encryptBlock: encryptSimonBlock,
    key: 16,
    plain: '63736564207372656c6c657661727420',
    sealed: '49681b1e1e54fe3f65aa832af84e0bbc',
  },
  {
    name: 'SPECK-128/128',
    expandKey: expandSpeckKey,
    encryptBlock: encryptSpeckBlock,
    key: 16,
    plain: '6c617669757165207469206564616d20',
    sealed: 'a65d9851797832657860fedf5c570d18',
  },
  {
    name: 'SIMON-128/256',
    expandKey: expandSimonKey,
    encryptBlock: encryptSimonBlock,
    key: 32,
    plain: '74206e69206d6f6f6d69732061207369',
    sealed: '8d2b5579afc8a3a03bf72a87efe7b868',
  },
  {
    name: 'SPECK-128/256',
    expandKey: expandSpeckKey,
    encryptBlock: encryptSpeckBlock,
    key: 32,
    plain: '65736f6874206e49202e72656e6f6f70',
    sealed: '4109010405c0f53e4eeeb48d9c188f43',
  },
])('$name: appendix of the SIMON and SPECK paper', ({ expandKey, encryptBlock, key, plain, sealed }) => {
  // 00 01 02 ... in the order of the wire.
  const keys = expandKey(Uint8Array.from({ length: key }, (_, i) => i));
  const block = new Int32Array(new Uint8Array(wireOrder(plain)).buffer);
  encryptBlock(keys, block);
  expect(Buffer.from(block.buffer)).toEqual(wireOrder(sealed));
});

test('the counter mode of this project counts like that of node:crypto', () => {
  const key = hex('2b7e151628aed2a6abf7158809cf4f3c');
  const aes = (block: Int32Array) => {
    const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    new Uint8Array(block.buffer).set(cipher.update(new Uint8Array(block.buffer)));
  };
  const nonce = hex('f0f1f2f3f4f5f6f7f8f9fafb');
  const applyKeystream = makeCounterMode(aes);
  for (const bytes of [0, 1, 16, 31, 5_000]) {
    const plain = Buffer.alloc(bytes, 7);
    const out = Buffer.alloc(bytes);
    applyKeystream(nonce, plain, out);
    const counterBlock = Buffer.concat([nonce, hex('00000001')]);
    expect(out).toEqual(createCipheriv('aes-128-ctr', key, counterBlock).update(plain));
  }
});

test.each([
  {
    key: 'ae6852f8121067cc4bf7a5765577f39e',
    nonce: '00000030 0000000000000000',
    plain: '53696e676c6520626c6f636b206d7367',
    sealed: 'e4095d4fb7a7b3792d6175a3261311b8',
  },
  {
    key: '7e24067817fae0d743d6ce1f32539163',
    nonce: '006cb6db c0543b59da48d90b',
    plain: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
    sealed: '5104a106168a72d9790d41ee8edad388eb2e1efc46da57c8fce630df9141be28',
  },
])('AES-128-CTR: RFC 3686 section 6, key $key', ({ key, nonce, plain, sealed }) => {
  const box = makeAesCtrHmacBox(Buffer.concat([hex(key), Buffer.alloc(32)]));
  const out = Buffer.alloc(hex(plain).length + box.tagBytes);
  box.seal({ nonce: hex(nonce), associated: none }, hex(plain), out);
  expect(out.subarray(0, -box.tagBytes)).toEqual(hex(sealed));
});

test.each([
  [Buffer.alloc(20, 0x0b), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    Buffer.from('Jefe'),
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
])('HMAC-SHA-256: RFC 4231 section 4, %#', (key, message, mac) => {
  const authenticate = makeHmacSha256(key);
  for (const cut of [0, 3, message.length]) {
    const [head, rest] = [Buffer.from(message.slice(0, cut)), Buffer.from(message.slice(cut))];
    expect(Buffer.from(authenticate(head, rest)).toString('hex')).toBe(mac);
  }
});

test.each([16, 32])(
  'OMAC with a key of %i bytes is CMAC after a tweak block, message after message',
  (keyBytes) => {
    const key = Buffer.alloc(keyBytes, 0x5a);
    const omac = makeOmac(key);
    for (let bytes = 0; bytes <= 50; bytes += 1) {
      const message = new Uint8Array(bytes).fill(bytes);
      const tweaked = new Uint8Array([...new Uint8Array(15), bytes % 3, ...message]);
      expect(Buffer.from(omac(bytes % 3, message))).toEqual(Buffer.from(cmac(tweaked, new Uint8Array(key))));
    }
  },
);

test('Salsa20/20: ECRYPT set 1, vector 0, 256 bits', () => {
  const key = Buffer.concat([hex('80'), Buffer.alloc(31)]);
  const stream = salsa20(new Uint8Array(key), new Uint8Array(8), new Uint8Array(64));
  expect(Buffer.from(stream).toString('hex')).toBe(
    'e3be8fdd8beca2e3ea8ef9475b29a6e7003951e1097a5c38d23b7a5fad9f6844b22c97559e2723c7cbbd3fe4fc8d9a0744652a83e72a9c461876af4d7ef1a117',
  );
});

test('the box is XSalsa20 with its nonce spread, and keyed BLAKE2b of RFC 7693', async () => {
  const key = Buffer.from(Array.from({ length: 64 }, (_, i) => i));
  const box = await makeSalsa20Blake2bBox(key);
  const nonce = hex('000102030405060700000009');
  const out = Buffer.alloc(40 + box.tagBytes);
  box.seal({ nonce, associated: hex('aabb') }, Buffer.alloc(40), out);
  const longNonce = hex('0001020304050607 000000000000000000000000 00000009');
  const sealed = xsalsa20(new Uint8Array(key.subarray(0, 32)), new Uint8Array(longNonce), new Uint8Array(40));
  expect(out.subarray(0, 40)).toEqual(Buffer.from(sealed));
  const covered = Buffer.concat([hex('00000002 aabb'), nonce, sealed]);
  const mac = blake2b(new Uint8Array(covered), { key: new Uint8Array(key.subarray(32)), dkLen: 16 });
  expect(out.subarray(40)).toEqual(Buffer.from(mac));
  expect(Buffer.from(blake2b(new Uint8Array(0), { key: new Uint8Array(key) })).toString('hex')).toBe(
    '10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568',
  );
});
