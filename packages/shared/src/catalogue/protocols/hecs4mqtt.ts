import type { PayloadCipherId } from '../payload-ciphers.ts';
import { linksOfKinds } from './links.ts';
import { hardwareCounters } from './needs.ts';
import { byScale, type Protocol } from './protocol.ts';

/** Those that the study measured, by the nearest scheme that authenticates. */
const measured: readonly PayloadCipherId[] = [
  'chacha20-poly1305',
  'aes-256-gcm',
  'aes-256-eax',
  'aes-256-ccm-8',
  'aes-128-ctr-hmac-sha256',
  'salsa20-blake2b',
];
const alsoNamed: readonly PayloadCipherId[] = [
  'aes-128-gcm',
  'aes-128-eax',
  'aes-128-ccm-8',
  'ascon-aead128',
  'simon-128-128-ctr-hmac-sha256',
  'speck-128-128-ctr-hmac-sha256',
];
const kilobyte = 1024;

export const hecs4mqtt: Protocol = {
  id: 'hecs4mqtt',
  title: 'HECS4MQTT: encryption at the edge',
  question: 'Which light payload cipher costs a publisher least, and what does a second layer add to TLS?',
  citation: 'Alharbi, Awad, Bell, Future Internet 17:298, 2025',
  publishedTestbed: 'Local Mosquitto, re-encrypting bridge, TLS 1.3 to a cloud broker (Mosquitto 2.0.18)',
  publishedAes: null,
  needs: [hardwareCounters],
  parts: [
    {
      id: 'a',
      title: 'payload ciphers',
      question: 'What does each payload cipher cost the publisher, by payload size?',
      gaps: [],
      notes: {
        smoke: 'The six ciphers that were measured, 1 and 10 KB, 50 messages/s for 1.5 s, one repetition.',
        bench: 'All named ciphers, 1, 5 and 10 KB, 20 messages/s for 5 s, three repetitions.',
        full: 'As published: 100 messages 0.5 s apart, ten repetitions.',
      },
      plan: (testbed, scale) => ({
        factors: {
          security: ['plain'],
          payloadCipher: byScale(scale, [
            [...measured],
            [...measured, ...alsoNamed],
            [...measured, ...alsoNamed],
          ]),
          payloadEncoding: ['base64 in JSON'],
          readingBytes: byScale(scale, [
            [kilobyte, 10 * kilobyte],
            [kilobyte, 5 * kilobyte, 10 * kilobyte],
            [kilobyte, 5 * kilobyte, 10 * kilobyte],
          ]),
          rate: [byScale(scale, [50, 20, 2])],
          qos: [1],
          link: linksOfKinds(testbed, ['ethernet', 'wifi']),
        },
        workload: {
          kind: 'stream',
          warmUpMs: byScale(scale, [300, 1000, 1000]),
          measureMs: byScale(scale, [1500, 5000, 50_000]),
        },
        repetitions: byScale(scale, [1, 3, 10]),
        sampleHz: 10,
        response: 'cpuPerMessage.publisher',
      }),
    },
    {
      id: 'b',
      title: 'layered against TLS only',
      question: 'What does a payload cipher add where TLS protects the connection already?',
      gaps: [],
      notes: {
        smoke: 'No payload cipher, ChaCha20-Poly1305 and AES-256-GCM at 1 KB, one repetition.',
        bench: 'At 1 and 10 KB, three repetitions.',
        full: 'At 1, 5 and 10 KB, 100 messages 0.5 s apart, ten repetitions.',
      },
      plan: (testbed, scale) => ({
        factors: {
          security: ['plain', 'TLS 1.3'],
          cipherSuite: ['TLS_AES_256_GCM_SHA384'],
          payloadCipher: ['none', 'chacha20-poly1305', 'aes-256-gcm'],
          readingBytes: byScale(scale, [
            [kilobyte],
            [kilobyte, 10 * kilobyte],
            [kilobyte, 5 * kilobyte, 10 * kilobyte],
          ]),
          rate: [byScale(scale, [50, 20, 2])],
          qos: [1],
          link: linksOfKinds(testbed, ['ethernet', 'wifi']),
        },
        workload: {
          kind: 'stream',
          warmUpMs: byScale(scale, [300, 1000, 1000]),
          measureMs: byScale(scale, [1500, 5000, 50_000]),
        },
        repetitions: byScale(scale, [1, 3, 10]),
        sampleHz: 10,
        response: 'latency.mean',
      }),
    },
    {
      id: 'c',
      title: 'the re-encrypting bridge',
      question:
        'What does decrypting and encrypting again on the way to the cloud cost, and what does it reject?',
      gaps: [
        {
          what: 'Publisher, local broker, bridge, cloud broker, subscriber',
          reason: 'a testbed has one broker: the topology with a bridge is not a factor yet',
        },
        {
          what: 'Tampered messages and the capture at the cloud broker',
          reason: 'they need the bridge, and a man in the middle that this testbed starts',
        },
        { what: 'Heartbeats and failover along a broker list', reason: 'publishers know one broker only' },
      ],
      notes: { smoke: '', bench: '', full: '' },
      plan: null,
    },
  ],
};
