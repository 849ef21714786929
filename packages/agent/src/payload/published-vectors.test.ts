import { expect, test } from 'vitest';
import { makeAesCcm8Box, makeAesGcmBox, makeChaCha20Poly1305Box } from './ciphers/aead.ts';
import { makeAesEaxBox } from './ciphers/aes-eax.ts';
import { makeAsconAead128Box } from './ciphers/ascon-aead128.ts';
import type { Box } from './ciphers/payload-cipher.ts';

interface Vector {
  key: string;
  nonce: string;
  associated: string;
  plain: string;
  /** Ciphertext and tag. */
  sealed: string;
}

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
/** `count` bytes from `first` upwards, as in the standards. */
const run = (first: number, count: number) =>
  Buffer.from(Array.from({ length: count }, (_, i) => first + i)).toString('hex');

const ascon = (associatedBytes: number, plainBytes: number, sealed: string): Vector => ({
  key: run(0x00, 16),
  nonce: run(0x10, 16),
  associated: run(0x30, associatedBytes),
  plain: run(0x20, plainBytes),
  sealed,
});

const gcmPlain =
  'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39';

const vectors: [name: string, makeBox: (key: Uint8Array) => Box, vector: Vector][] = [
  [
    'AES-128-GCM: McGrew and Viega, test case 4 (also NIST CAVP)',
    makeAesGcmBox,
    {
      key: 'feffe9928665731c6d6a8f9467308308',
      nonce: 'cafebabefacedbaddecaf888',
      associated: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
      plain: gcmPlain,
      sealed:
        '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091' +
        '5bc94fbc3221a5db94fae95ae7121a47',
    },
  ],
  [
    'AES-256-GCM: McGrew and Viega, test case 16 (also NIST CAVP)',
    makeAesGcmBox,
    {
      key: 'feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308',
      nonce: 'cafebabefacedbaddecaf888',
      associated: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
      plain: gcmPlain,
      sealed:
        '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662' +
        '76fc6ece0f4e1768cddf8853bb2d551b',
    },
  ],
  [
    'AES-128-CCM with 8-byte tag: SP 800-38C example 3',
    makeAesCcm8Box,
    {
      key: run(0x40, 16),
      nonce: run(0x10, 12),
      associated: run(0x00, 20),
      plain: run(0x20, 24),
      sealed: 'e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5 484392fbc1b09951',
    },
  ],
  [
    'AES-256-CCM with 8-byte tag: Wycheproof 458',
    makeAesCcm8Box,
    {
      key: '7160434720504dce28845625a3423166d9b5025d975c6ee47299bb5bd677dbeb',
      nonce: '0296c95b44c17463434c7e19',
      associated: '19082bf57b6c4130eac58c0526a044ee',
      plain: 'c66a48615b62d2d85ea82ee4d528a03a',
      sealed: '8934ea7afb44fdca4027ed9bbb247358 b333f0e1383cf3e8',
    },
  ],
  [
    'ChaCha20-Poly1305: RFC 8439 section 2.8.2',
    makeChaCha20Poly1305Box,
    {
      key: run(0x80, 32),
      nonce: '070000004041424344454647',
      associated: '50515253c0c1c2c3c4c5c6c7',
      plain: Buffer.from(
        "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
      ).toString('hex'),
      sealed:
        'd31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b6' +
        '7ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b6116' +
        '1ae10b594f09e26a7e902ecbd0600691',
    },
  ],
  ...(
    [
      [
        '233952dee4d5ed5f9b9c6d6ff80ff478',
        '62ec67f9c3a4a407fcb2a8c49031a8b3',
        '6bfb914fd07eae6b',
        '',
        'e037830e8389f27b025a2d6527e79d01',
      ],
      [
        '01f74ad64077f2e704c0f60ada3dd523',
        '70c3db4f0d26368400a10ed05d2bff5e',
        '234a3463c1264ac6',
        '1a47cb4933',
        'd851d5bae0 3a59f238a23e39199dc9266626c40f80',
      ],
      [
        '7c77d6e813bed5ac98baa417477a2e7d',
        '1a8c98dcd73d38393b2bf1569deefc19',
        '65d2017990d62528',
        '8b0a79306c9ce7ed99dae4f87f8dd61636',
        '02083e3979da014812f59f11d52630da30 137327d10649b0aa6e1c181db617d7f2',
      ],
      [
        '8395fcf1e95bebd697bd010bc766aac3',
        '22e7add93cfc6393c57ec0b3c17d6b44',
        '126735fcc320d25a',
        'ca40d7446e545ffaed3bd12a740a659ffbbb3ceab7',
        'cb8920f87a6c75cff39627b56e3ed197c552d295a7 cfc46afc253b4652b1af3795b124ab6e',
      ],
      [
        '38f3d880ed6cd605f2eab88027c9a1c21d13e3de1af50ac884723bcf2b70f495',
        '7078c9239650b8a1a8cf031d460e51c1',
        'd1544013b885a7083abece9e31d98ebc',
        '52609620d7f572aa9267565e459ae419',
        '91b9f4424b68b4af839ce553d10b7dbc 0541b1a518f4bb585a594f3eab5535c3',
      ],
      [
        '6efca98126918ab564d88c6bec02e8998b2be50e3f906ff9adfdd185f373e756',
        '4abd6cfc83bd06b11efaa2a7',
        '',
        'bbec79c086d41e602d090f7e40494d6bf3faa1dc6df0ab8a88ea5d35d426b248c2ad880351e223f6170d37cc9655e10459e59cbd6d1c092ed31d72ccc7af20',
        'c54014ddfa43fa7c580943f29dc6a8bfe0a754417bfa760f5e5fe6cd332dce8c66dc3b60cf2078273b92d7f2f179ac3676f8a454607b1e0eb2e171faa93689' +
          '56c556a5e462949760c0c3211b9e058f',
      ],
    ] as const
  ).map(([key, nonce, associated, plain, sealed], index): (typeof vectors)[number] => [
    index < 4
      ? `AES-128-EAX: EAX paper appendix G, ${index}`
      : `AES-256-EAX: Wycheproof ${[164, 99][index - 4]}`,
    makeAesEaxBox,
    { key, nonce, associated, plain, sealed },
  ]),
  // Of the known answers of the final standard (NIST ACVTS, SP 800-232; ascon-c asconaead128), by their count.
  ...(
    [
      [1, ascon(0, 0, '4f9c278211bec9316bf68f46ee8b2ec6')],
      [2, ascon(1, 0, 'cccb674fe18a09a285d6ab11b35675c0')],
      [10, ascon(9, 0, '24f13284a0f90f906b18c7e4061c0896')],
      [16, ascon(15, 0, '759102a6953861627aae1836d003a294')],
      [17, ascon(16, 0, 'e4230cdb8330ee9dc0cfd7c7b346e6dc')],
      [18, ascon(17, 0, 'bd8851cd3af9847844839a791dd70e8c')],
      [34, ascon(0, 1, 'e8dd576aba1cd3e6fc704de02aedb79588')],
      [35, ascon(1, 1, '962b8016836c75a7d86866588ca245d886')],
      [298, ascon(0, 9, 'e8c3deee246cc5eae3 329bc950ae101b9247f3605ebedcbf6c')],
      [496, ascon(0, 15, 'e8c3deee246cc5eae3e872313897a2 83aecc1da0834a52940ec4bfcddb6404')],
      [529, ascon(0, 16, 'e8c3deee246cc5eae3e872313897a2bb 9eaa915c9dd3245d77048f24d46d27a7')],
      [562, ascon(0, 17, 'e8c3deee246cc5eae3e872313897a2bb60 301002539d456275dd0b0ceab3b23844')],
      [
        1016,
        ascon(
          25,
          30,
          '16cb13e5853541e2f36b38240366acee48e0b21d8a3424739fcd62ac2dde b2d36a792ba208d4158cdf4e968fa99f',
        ),
      ],
      [
        1089,
        ascon(
          32,
          32,
          'cb34d04660a66dbfbe9c856601f5b8aa51a499b55ac8f7fbefbc331a613ee9cd fd191750a47f211c0a15ed28173d7caa',
        ),
      ],
    ] as const
  ).map(([count, vector]): (typeof vectors)[number] => [
    `Ascon-AEAD128: SP 800-232 ${count}`,
    makeAsconAead128Box,
    vector,
  ]),
];

test.each(vectors)('%s', (_name, makeBox, vector) => {
  const box = makeBox(hex(vector.key));
  const frame = { nonce: hex(vector.nonce), associated: hex(vector.associated) };
  const plain = hex(vector.plain);
  const sealed = Buffer.alloc(plain.length + box.tagBytes);
  box.seal(frame, plain, sealed);
  expect(sealed.toString('hex')).toBe(hex(vector.sealed).toString('hex'));
  const opened = Buffer.alloc(plain.length);
  expect(box.open(frame, sealed, opened)).toBe(true);
  expect(opened).toEqual(plain);
});
