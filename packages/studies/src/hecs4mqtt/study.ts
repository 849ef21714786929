import type { PayloadCipherId } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { byScale, type PartPlan, type StudyScale } from '@mqttlab/shared/planning/study';
import { bridgeRoles, captureOf, hardwareCounters, linksOfKinds, packetCapture } from '../needs.ts';
import type { PublishedStudy } from '../study.ts';
import { hecs4mqttClaims } from './claims.ts';

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
  'aes-256-ctr-hmac-sha256',
  'simon-128-256-ctr-hmac-sha256',
  'speck-128-256-ctr-hmac-sha256',
];
const kilobyte = 1024;

/** The same in every part: 100 messages, faster where there is less time. QoS is not stated: 1, so that none is lost unseen. */
function planOf(
  testbed: TestbedView,
  scale: StudyScale,
  { factors, ...own }: Pick<PartPlan, 'factors' | 'leaveOut' | 'response'>,
): PartPlan {
  const at = byScale(scale);
  return {
    factors: {
      mqttVersion: ['5.0'],
      rate: [at(250, 50, 2)],
      qos: [1],
      link: linksOfKinds(testbed, ['ethernet', 'wifi']),
      ...factors,
    },
    workload: {
      kind: 'stream',
      messages: 100,
      warmUpMs: at(100, 500, 1000),
      measureMs: at(1000, 4000, 55_000),
    },
    repetitions: at(3, 3, 10),
    sampleHz: 10,
    ...own,
  };
}

function ciphersBy(scale: StudyScale): string[] {
  return scale === 'smoke' ? [...measured] : [...measured, ...alsoNamed];
}

/** With a bridge wherever the testbed has one: what the publisher pays is the same without. */
function topologyOf({ roles }: TestbedView): string[] {
  return roles.includes('bridge') && roles.includes('cloud-broker') ? [bridged] : ['direct'];
}

const bridged = 're-encrypting bridge';

/** Both layers the one without the other: TLS to the broker, a cipher before the bridge, which adds TLS of its own. */
function planCapture(testbed: TestbedView, scale: StudyScale): PartPlan {
  const cipher: PayloadCipherId = 'salsa20-blake2b';
  const [behind = 'direct'] = topologyOf(testbed);
  const isBridged = behind === bridged;
  return planOf(testbed, scale, {
    factors: {
      topology: isBridged ? ['direct', bridged] : ['direct'],
      security: ['plain', 'TLS 1.3'],
      cipherSuite: ['TLS_AES_256_GCM_SHA384'],
      payloadCipher: ['none', cipher],
      capture: captureOf(testbed),
      readingBytes: [kilobyte],
    },
    leaveOut: [
      { security: ['TLS 1.3'], payloadCipher: [cipher] },
      ...(isBridged
        ? [
            { topology: [bridged], payloadCipher: ['none'] },
            { topology: ['direct'], payloadCipher: [cipher] },
          ]
        : []),
    ],
    response: 'wire.perMessage',
  });
}

export const hecs4mqtt: PublishedStudy = {
  id: 'hecs4mqtt',
  title: 'HECS4MQTT: encryption at the edge',
  question: 'Which light payload cipher costs a publisher least, and what does a second layer add to TLS?',
  citation: 'Alharbi, Awad, Bell, Future Internet 17:298, 2025',
  publishedTestbed:
    'Laptops with an Intel Core i5, Python with PyCryptodome and paho-mqtt 1.5.1; local Mosquitto, re-encrypting bridge, TLS 1.3 to a cloud broker (Mosquitto 2.0.18)',
  publishedAes: null,
  needs: [hardwareCounters, bridgeRoles, packetCapture],
  claims: hecs4mqttClaims,
  parts: [
    {
      id: 'a',
      title: 'payload ciphers',
      question: 'What does each payload cipher cost the publisher, by payload size?',
      gaps: [
        {
          what: 'Salsa20 with a key of 128 bits',
          reason:
            'its nonce of 8 bytes is extended as in XSalsa20, so that a key may be used for a whole run, and XSalsa20 has keys of 256 bits only',
        },
      ],
      notes: {
        smoke:
          'The six ciphers that were measured, 1 and 10 KB, 100 messages at 250/s, without the bridge; three repetitions.',
        bench: 'All named ciphers, 1, 5 and 10 KB, 100 messages at 50/s, three repetitions.',
        full: 'As published: 100 messages 0.5 s apart, ten repetitions; QoS 1 is ours.',
      },
      plan: (testbed, scale) =>
        planOf(testbed, scale, {
          factors: {
            topology: scale === 'smoke' ? ['direct'] : topologyOf(testbed),
            security: ['plain'],
            payloadCipher: ciphersBy(scale),
            payloadEncoding: ['base64 in JSON'],
            readingBytes: byScale(scale)(
              [kilobyte, 10 * kilobyte],
              [kilobyte, 5 * kilobyte, 10 * kilobyte],
              [kilobyte, 5 * kilobyte, 10 * kilobyte],
            ),
          },
          response: 'cpuPerMessage.publisher',
        }),
    },
    {
      id: 'b',
      title: 'layered against TLS only',
      question:
        'What does a payload cipher with a re-encrypting bridge cost beside TLS from end to end, which the brokers can read?',
      gaps: [],
      notes: {
        smoke: 'No payload cipher and ChaCha20-Poly1305 at 1 KB, three repetitions.',
        bench: 'At 1 and 10 KB, behind the bridge with and without mutual TLS, three repetitions.',
        full: 'At 1, 5 and 10 KB, behind the bridge with and without mutual TLS, 100 messages 0.5 s apart, ten repetitions.',
      },
      plan: (testbed, scale) =>
        planOf(testbed, scale, {
          factors: {
            topology: [...new Set(['direct', ...topologyOf(testbed)])],
            security: ['plain', 'TLS 1.3'],
            cipherSuite: ['TLS_AES_256_GCM_SHA384'],
            cloudAuthentication: scale === 'smoke' ? ['broker only'] : ['broker only', 'mutual TLS'],
            payloadCipher:
              scale === 'smoke'
                ? ['none', 'chacha20-poly1305']
                : ['none', 'chacha20-poly1305', 'aes-256-gcm'],
            readingBytes: byScale(scale)(
              [kilobyte],
              [kilobyte, 10 * kilobyte],
              [kilobyte, 5 * kilobyte, 10 * kilobyte],
            ),
          },
          // A bridge that has nothing to verify is no layer, and ciphers without TLS are in the first part.
          leaveOut: [
            { topology: [bridged], payloadCipher: ['none'] },
            {
              topology: ['direct'],
              security: ['plain'],
              payloadCipher: ['chacha20-poly1305', 'aes-256-gcm'],
            },
          ],
          response: 'latency.mean',
        }),
    },
    {
      id: 'c',
      title: 'the re-encrypting bridge under attack',
      question: 'Does the bridge reject every message that was altered on its way, and nothing else?',
      gaps: [
        {
          what: 'Several local brokers, one for each hospital',
          reason:
            'a testbed has one broker, one bridge and one cloud broker, whose figures a run tells apart',
        },
        {
          what: 'Rules of access for topics, roles of users, AWS Key Management Service, web dashboard',
          reason: 'described in the text and not measured; keys are made for each run and end with it',
        },
        {
          what: 'Publishers that fall back along a list of local brokers, and subscribers along cloud brokers',
          reason:
            'the figures of a run are those of one broker: a client that went to another in mid-run would mix the two in CPU, memory and bytes, and what the first had queued for it would stay there; the bridge, which keeps a message until a cloud broker has it, does follow a list of them by heartbeats (two missed ones end a connection)',
        },
      ],
      notes: {
        smoke:
          'Every fifth of 100 messages of 1 KB altered, Salsa20-BLAKE2b and ChaCha20-Poly1305; three repetitions.',
        bench: 'Every fifth of 100 messages of 1 KB altered, all named ciphers; three repetitions.',
        full: 'The same 0.5 s apart, ten repetitions.',
      },
      plan: (testbed, scale) =>
        planOf(testbed, scale, {
          factors: {
            topology: [bridged],
            security: ['plain'],
            payloadCipher: scale === 'smoke' ? ['salsa20-blake2b', 'chacha20-poly1305'] : ciphersBy(scale),
            payloadEncoding: ['base64 in JSON'],
            alterEvery: [5],
            readingBytes: [kilobyte],
          },
          response: 'bridge.rejected',
        }),
    },
    {
      id: 'd',
      title: 'payload capture at the brokers',
      question: 'What do the packets at the local broker and at the cloud broker show without the keys?',
      gaps: [
        {
          what: 'A cloud broker that was taken over',
          reason:
            'it reads behind TLS, which a capture does not; where a payload cipher is on it holds ciphertext and has no key, which the tests of the program show with a subscriber that has none either',
        },
      ],
      notes: {
        smoke: 'Plain, TLS alone, and Salsa20-BLAKE2b behind the bridge, at 1 KB, three repetitions.',
        bench: 'Plain, TLS alone, and Salsa20-BLAKE2b behind the bridge, at 1 KB, three repetitions.',
        full: 'Plain, TLS alone, and Salsa20-BLAKE2b behind the bridge, at 1 KB, 100 messages 0.5 s apart, ten repetitions.',
      },
      plan: planCapture,
    },
  ],
};
