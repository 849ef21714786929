import type { Quantity } from '@mqttlab/charts/blocks/blocks';
import type { DocumentTable } from '@mqttlab/charts/table';
import type { Derived } from '@mqttlab/shared/analysis/claims/claim';
import type { PayloadCipherId } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { byScale, type PartPlan, type StudyScale } from '@mqttlab/shared/planning/study';
import { bridgeRoles, captureOf, hardwareCounters, linksOfKinds, packetCapture } from '../needs.ts';
import { eavesdropper } from '../page/eavesdropper.ts';
import type { PageBlock } from '../page/input.ts';
import type { PublishedStudy } from '../study.ts';
import { hecs4mqttClaims, measured } from './claims.ts';

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

/**
 * Makes a plan with the settings common to all parts: 100 messages, faster at smaller scales. QoS is not
 * stated; QoS 1 is used because it detects every loss.
 */
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

/** Uses a bridge if the testbed has one. The cost for the publisher is the same without it. */
function topologyOf({ roles }: TestbedView): string[] {
  return roles.includes('bridge') && roles.includes('cloud-broker') ? [bridged] : ['direct'];
}

const bridged = 're-encrypting bridge';

/**
 * Plans each layer alone: TLS to the broker, or a payload cipher to the bridge, which uses TLS to the cloud.
 */
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

const cipherNames = ['payloadCipher', 'readingBytes'];
const layerNames = ['topology', 'security', 'cloudAuthentication', 'payloadCipher', 'readingBytes'];

const costs: readonly Quantity[] = [
  { head: 'Encryption', unit: 'µs', measure: 'encryption.mean' },
  { head: 'Decryption', unit: 'µs', measure: 'decryption.mean' },
  { head: 'CPU per message', unit: 'µs', measure: 'cpuPerMessage.publisher' },
  { head: 'Energy per message', unit: 'mJ', measure: 'energyPerMessage.total' },
  { head: 'Goodput', unit: 'kbit/s', measure: 'rate.goodput', scale: 1e-3 },
  { head: 'Memory', unit: 'MB', measure: 'memory.publisher.mean' },
  { head: 'Expansion', unit: '×', measure: 'payload.expansionRatio' },
  { head: 'Latency', unit: 'ms', measure: 'latency.mean' },
  { head: 'Largest latency', unit: 'ms', measure: 'latency.max', over: 'most' },
];

/** Duration of a run, computed from the rate and the number of messages. */
const elapsed: Derived = {
  label: 'elapsed time',
  unit: 's',
  kind: 'positive',
  metrics: ['count.sent', 'rate.messages'],
  of: ([sent, rate]) => (sent === undefined || !rate ? null : sent / rate),
};

const cpuTime: Derived = {
  label: 'CPU time',
  unit: 'µs',
  kind: 'positive',
  metrics: ['cpuPerMessage.publisher', 'count.sent'],
  of: ([cpu, sent]) => (cpu === undefined || sent === undefined ? null : cpu * sent),
};

/** Values from the single run printed in the study, with the closest responses here. */
const printedRun: readonly Quantity[] = [
  { head: 'Elapsed', published: 'elapsed', unit: 's', measure: elapsed },
  { head: 'Task clock', published: 'task clock', unit: 'ms', measure: cpuTime, scale: 1e-3 },
  { head: 'Cycles', published: 'cycles', unit: '', measure: 'perf.cycles.publisher' },
  { head: 'Instructions', published: 'instructions', unit: '', measure: 'perf.instructions.publisher' },
  {
    head: 'Cache references',
    published: 'cache references',
    unit: '',
    measure: 'perf.cacheReferences.publisher',
  },
  { head: 'Cache misses', published: 'cache misses', unit: '', measure: 'perf.cacheMisses.publisher' },
  { head: 'RSS', published: 'RSS', unit: 'B', measure: 'memory.publisher.mean', scale: 1e6 },
  { head: 'Throughput', published: 'throughput', unit: 'B/s', measure: 'rate.encrypted' },
];

/**
 * Table 1 in the study (lines 268 to 276) with expected results, and the claim that answers each criterion.
 */
const expectations: DocumentTable = {
  columns: ['Metric', 'Tool', 'Layer', 'Expected result', 'Here'].map((head) => ({ head })),
  rows: [
    [
      'Confidentiality',
      'NIST STS, Wireshark',
      'edge and cloud',
      'high entropy, secure ciphertext',
      'H6; part d',
    ],
    ['Integrity', 'altered HMAC, TLS', 'edge and cloud', 'tampering is detected', 'H7'],
    ['Compromised broker', 'payload capture', 'cloud broker', 'data unreadable, the MAC fails', 'H8'],
    ['CPU', 'perf, psutil', 'publisher', 'Salsa20-BLAKE2b better than the others', 'H1, H4'],
    ['Encryption time', 'perf, psutil', 'publisher', 'Salsa20-BLAKE2b better than the others', 'H2'],
    ['Throughput', 'perf, psutil', 'publisher', 'Salsa20-BLAKE2b better than the others', 'H1'],
  ],
};

const devices: readonly Quantity[] = [
  { head: 'Publisher', unit: 'µs', measure: 'cpuPerMessage.publisher' },
  { head: 'Local broker', unit: 'µs', measure: 'cpuPerMessage.broker' },
  { head: 'Bridge', unit: 'µs', measure: 'cpuPerMessage.bridge' },
  { head: 'Cloud broker', unit: 'µs', measure: 'cpuPerMessage.cloud-broker' },
  { head: 'Subscriber', unit: 'µs', measure: 'cpuPerMessage.subscriber' },
];

const bridgeCosts: readonly Quantity[] = [
  { head: 'Verify and decrypt', unit: 'µs', measure: 'bridge.decryption.mean' },
  { head: 'Encrypt again (AES-256-GCM)', unit: 'µs', measure: 'bridge.encryption.mean' },
  { head: 'CPU', unit: 'µs', measure: 'cpuPerMessage.bridge' },
  { head: 'Memory', unit: 'MB', measure: 'memory.bridge.mean' },
  { head: 'Latency', unit: 'ms', measure: 'latency.mean' },
];

const heartbeats: readonly Quantity[] = [
  { head: 'Local broker, median response', unit: 'ms', measure: 'bridge.heartbeat.local' },
  { head: 'Cloud broker, median response', unit: 'ms', measure: 'bridge.heartbeat.cloud' },
  { head: 'Missed', unit: 'heartbeats', measure: 'bridge.missedHeartbeats' },
  { head: 'Failovers', unit: 'times', measure: 'bridge.failovers' },
];

/** Makes bars by cipher for each payload size, as in the study. */
function byCipher(title: string, measure: string, unit: string, caption: string): PageBlock {
  const published: Readonly<Record<string, string>> = {
    'rate.encrypted': 'throughput',
    'perf.cycles.publisher': 'cycles',
  };
  return {
    kind: 'dots',
    title,
    caption: `${caption} By cipher and payload size.`,
    quantities: [
      { head: title, measure, unit, ...(published[measure] ? { published: published[measure] } : {}) },
    ],
    names: ['payloadCipher'],
    groups: ['readingBytes'],
    bars: true,
  };
}

export const hecs4mqtt: PublishedStudy = {
  id: 'hecs4mqtt',
  title: 'HECS4MQTT: encryption at the edge',
  question:
    'Which lightweight payload cipher costs a publisher the least, and how much does a second layer add to TLS?',
  citation: 'Alharbi, Awad, Bell, Future Internet 17:298, 2025',
  publishedTestbed:
    'Laptops with an Intel Core i5, Python with PyCryptodome and paho-mqtt 1.5.1; local Mosquitto, re-encrypting bridge, TLS 1.3 to a cloud broker (Mosquitto 2.0.18)',
  publishedAes: null,
  needs: [hardwareCounters, bridgeRoles, packetCapture],
  claims: hecs4mqttClaims,
  reasons: ['cpu', 'link'],
  notStated: ['QoS, and the library for TinyAES and BLAKE2b. PyCryptodome is the main library (line 260).'],
  different: [
    'Clients in Node.js at QoS 1 instead of Python with paho-mqtt; ciphers from OpenSSL, JavaScript and WebAssembly instead of PyCryptodome, and AES-128-CTR with HMAC-SHA-256 instead of TinyAES.',
    'One local broker and one bridge. Keys are generated for each run, without a key service.',
  ],
  parts: [
    {
      id: 'a',
      title: 'payload ciphers',
      question: 'What does each payload cipher cost the publisher, by payload size?',
      gaps: [
        {
          what: 'Salsa20 with a key of 128 bits',
          reason:
            'its 8-byte nonce is extended as in XSalsa20, so one key is safe for a whole run, and XSalsa20 supports only 256-bit keys',
        },
      ],
      notes: {
        smoke:
          'The six measured ciphers, 1 and 10 KB, 100 messages at 250/s, without a bridge; three repetitions.',
        bench: 'All named ciphers, 1, 5 and 10 KB, 100 messages at 50/s, three repetitions.',
        full: 'As published: 100 messages 0.5 s apart, ten repetitions. QoS 1 is our choice.',
      },
      plan: (testbed, scale) =>
        planOf(testbed, scale, {
          factors: {
            topology: scale === 'smoke' ? ['direct'] : topologyOf(testbed),
            security: ['plain'],
            payloadCipher: ciphersBy(scale),
            payloadEncoding: ['base64 in JSON'],
            readingBytes: byScale(scale)([kilobyte, 10 * kilobyte], [kilobyte, 5 * kilobyte, 10 * kilobyte]),
          },
          response: 'cpuPerMessage.publisher',
        }),
      blocks: [
        byCipher(
          'Throughput',
          'rate.encrypted',
          'B/s',
          'Encrypted and encoded bytes divided by elapsed time, as in the study. With a fixed schedule, throughput depends on message size and rate.',
        ),
        byCipher('Encryption time at the publisher', 'encryption.mean', 'µs', 'Mean time, cipher only.'),
        byCipher(
          'CPU time of the publisher per message',
          'cpuPerMessage.publisher',
          'µs',
          'CPU time of the whole process.',
        ),
        byCipher('CPU cycles of the publisher', 'perf.cycles.publisher', 'cycles', 'While measuring.'),
        { kind: 'table', title: 'Cost of the payload ciphers', names: cipherNames, quantities: costs },
        {
          kind: 'table',
          title: 'Approximate entropy of the ciphertext (NIST SP 800-22)',
          names: cipherNames,
          quantities: [
            { head: 'Mean p', measure: 'randomness.apEn.p', unit: '', published: 'mean p' },
            { head: 'Lowest run', measure: 'randomness.apEn.p', unit: '', over: 'least' },
            { head: 'Highest run', measure: 'randomness.apEn.p', unit: '', over: 'most' },
            { head: 'Messages at p > 0.01', measure: 'randomness.apEn.passed', unit: '%' },
          ],
        },
        {
          kind: 'responses',
          title: 'The published run of the publisher: 100 messages',
          names: ['payloadCipher'],
          where: { payloadCipher: 'chacha20-poly1305', readingBytes: 5 * kilobyte, rate: 2 },
          quantities: () => printedRun,
          missing: 'no run used ChaCha20-Poly1305 at 5 KB with one message every 0.5 s',
        },
        { kind: 'rows', title: 'The study’s evaluation criteria (its table 1)', rows: () => expectations },
      ],
      published: { tables: ['publisher-run', 'bounds', 'approximate-entropy', 'approximate-entropy-rounds'] },
      notStated: [
        'Key size in each figure: keys have 128 or 256 bits, fixed in advance (line 152).',
        'Payload of the printed run: 12,938.14 B/s for 51.07 s correspond to 6,608 B per sent message, or about 4.9 kB before base64, which is closest to 5 KB.',
        'Whether the encryption time above 135 ms (EAX, 10 KB) is for one message or for all 100 messages. Whether the perf counters include the start of Python.',
        'The text states that p is typically above 0.40 for Salsa20 (line 298), but two of its eight rounds are below 0.40.',
        'Whether the publisher used TLS to the local broker: it did not according to the text (line 154), but did according to algorithm 1 (line 167).',
      ],
      different: [
        'Readings instead of JPEG images. At smoke and bench scale, 250 and 50 messages/s instead of two.',
      ],
    },
    {
      id: 'b',
      title: 'layered against TLS only',
      question:
        'What does a payload cipher with a re-encrypting bridge cost compared with TLS, where brokers can read messages?',
      gaps: [],
      notes: {
        smoke: 'No payload cipher and ChaCha20-Poly1305 at 1 KB, three repetitions.',
        bench: 'At 1 and 10 KB, with and without mutual TLS behind the bridge, three repetitions.',
        full: 'At 1, 5 and 10 KB, with and without mutual TLS behind the bridge, 100 messages 0.5 s apart, ten repetitions.',
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
          // A bridge without a payload cipher adds no layer. Ciphers without TLS are in the first part.
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
      blocks: [
        { kind: 'table', title: 'Layered against TLS only', names: layerNames, quantities: costs },
        { kind: 'table', title: 'CPU time per message by device', names: layerNames, quantities: devices },
      ],
      published: { tables: ['subscriber-log'] },
      notStated: [
        'Cloud certificates: the broker’s is self-signed (line 206), or they are from trusted authorities with mutual authentication (lines 130 and 325), which the text elsewhere names as future work (line 423).',
        'Distance between publisher and cloud: the latencies of 371.92 and 384.84 ms are for two messages over the Internet.',
      ],
      different: [
        'The cloud broker is a Mosquitto broker in the testbed. The bridge and the subscriber verify its certificate.',
        'With a payload cipher, the local broker and the cloud broker behind the bridge see ciphertext. TLS alone ends at each broker, which can read every message.',
      ],
    },
    {
      id: 'c',
      title: 'the re-encrypting bridge under attack',
      question: 'Does the bridge reject every altered message and no others?',
      gaps: [
        {
          what: 'Several local brokers, one per hospital',
          reason: 'a testbed has one broker, one bridge and one cloud broker',
        },
        {
          what: 'Topic access rules, user roles, AWS Key Management Service, web dashboard',
          reason: 'described in the text but not measured; keys are generated for each run',
        },
        {
          what: 'Failover of publishers to other local brokers, and of subscribers to other cloud brokers',
          reason:
            'a run measures one broker, and a client that changes brokers would mix values from two brokers; the bridge, which stores a message until a cloud broker accepts it, fails over by heartbeats',
        },
      ],
      notes: {
        smoke:
          'Every fifth of 100 messages of 1 KB altered, Salsa20-BLAKE2b and ChaCha20-Poly1305; three repetitions.',
        bench: 'Every fifth of 100 messages of 1 KB altered, all named ciphers; three repetitions.',
        full: 'The same messages 0.5 s apart, ten repetitions.',
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
      blocks: [
        {
          kind: 'table',
          title: 'Tamper log: messages with one altered bit, sum over all runs',
          names: ['payloadCipher'],
          quantities: [
            { head: 'Sent', measure: 'count.sent', unit: 'messages', over: 'sum' },
            { head: 'Altered', measure: 'count.altered', unit: 'messages', over: 'sum' },
            { head: 'Rejected', measure: 'bridge.rejected', unit: 'messages', over: 'sum' },
            { head: 'Arrived', measure: 'count.received', unit: 'messages', over: 'sum' },
          ],
        },
        {
          kind: 'table',
          title: 'Cost of the bridge per message',
          names: ['payloadCipher'],
          quantities: bridgeCosts,
        },
        {
          kind: 'table',
          title: 'Heartbeats of the bridge',
          names: ['payloadCipher'],
          quantities: heartbeats,
        },
      ],
      notStated: ['How many messages were altered: figure 5 shows seven rejections in a row.'],
      different: [
        'One bit of every fifth message is altered. Altered and rejected messages are counted and compared.',
        'Heartbeats are MQTT pings from the bridge to its brokers, not messages on a status topic. No dashboard shows them.',
      ],
    },
    {
      id: 'd',
      title: 'payload capture at the brokers',
      question: 'What do packets at the local broker and the cloud broker reveal without the keys?',
      gaps: [
        {
          what: 'A compromised cloud broker',
          reason: 'a capture there contains TLS; no run has a subscriber without a key at the cloud broker',
        },
      ],
      notes: {
        smoke: 'Plain, TLS alone, and Salsa20-BLAKE2b behind the bridge, at 1 KB, three repetitions.',
        bench: 'Plain, TLS alone, and Salsa20-BLAKE2b behind the bridge, at 1 KB, three repetitions.',
        full: 'Plain, TLS alone, and Salsa20-BLAKE2b behind the bridge, at 1 KB, 100 messages 0.5 s apart, ten repetitions.',
      },
      plan: planCapture,
      blocks: eavesdropper(['topology', 'security', 'payloadCipher']),
      needsReport: true,
      notStated: [
        'Payload capture test at the cloud broker: table 1 describes its outcome in words (line 271), and no capture is printed.',
        'Whether packets were captured before the cloud broker or after its TLS decryption.',
      ],
      different: ['Packets are captured on each broker’s device.'],
    },
  ],
};
