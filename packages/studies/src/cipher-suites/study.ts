import { describeSuite } from '@mqttlab/shared/catalogue/ciphers/suites';
import { offeredByAny, type TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import { agentClients } from '@mqttlab/shared/domain/plans/trial-spec';
import { byScale, type PartPlan, type StudyScale } from '@mqttlab/shared/planning/study';
import { quartileRange } from '../claims/common.ts';
import { linksOfKinds, needLink } from '../needs.ts';
import type { PageBlock } from '../page/input.ts';
import type { PublishedStudy } from '../study.ts';
import { cipherSuitesClaims } from './claims.ts';
import { bestAndWorst, bestTriple, formatRate, placesOfPrinted, totalRatio } from './tables.ts';

/** TLS 1.2 suites named in the study; suites with SHA-1 only if the library still supports them. */
const namedByStudy = [
  ...['ECDHE-ECDSA', 'ECDHE-RSA'].flatMap((way) => [
    `${way}-AES128-GCM-SHA256`,
    `${way}-AES256-GCM-SHA384`,
    `${way}-CHACHA20-POLY1305`,
  ]),
  'DHE-RSA-AES128-GCM-SHA256',
  'DHE-RSA-AES256-GCM-SHA384',
  'DHE-RSA-CHACHA20-POLY1305',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA',
  'AES256-SHA',
  'DHE-RSA-AES128-SHA',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA',
];

/** Suites named in the claims, and one of each other kind. */
const smokeSuites = [
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'AES128-SHA',
];

/**
 * Returns every suite that the broker or the clients support, the study's suites first. Planning excludes
 * impossible suites.
 */
function suitesOf(testbed: TestbedView, security: 'TLS 1.2' | 'TLS 1.3'): string[] {
  const offered = offeredByAny(testbed, (tls) => tls.suites).filter(
    (name) => describeSuite(name).security === security,
  );
  return [...new Set([...(security === 'TLS 1.2' ? namedByStudy : []), ...offered])];
}

const gaps = [
  {
    what: 'Every outlier of figure 5',
    reason:
      'messages are stored as a histogram, so only a suite’s fastest and slowest messages are drawn beyond P5 and P95',
  },
  {
    what: 'A central broker behind a tunnel, a separate VLAN',
    reason:
      'mqttlab’s bridge decrypts and re-encrypts, unlike a plain Mosquitto bridge, and mqttlab does not configure routers, which define VLANs; the study measured between two nodes without a tunnel or a VLAN',
  },
  {
    what: 'WiFi interference',
    reason:
      'no device reports it; the experiment’s report contains channel, signal, PHY rate (at most 65 Mbit/s in the study) and retries before and after each run',
  },
  {
    what: 'Loss',
    reason:
      'the text names it as future work and gives no value; the wizard’s factor Packet loss adds it to this plan',
  },
];

const notes = {
  smoke:
    'The suites named in the claims and one suite of each other kind, 10 clients × 100 messages at QoS 0 with MQTT 3.1.1 and 5.0; three repetitions.',
  bench:
    'Every suite that the broker and the clients support, 10 clients × 100 messages at QoS 0 with MQTT 3.1.1 and 5.0; five repetitions.',
  full: 'Every suite that the broker and the clients support, QoS 0, 1 and 2, and MQTT 3.1, 3.1.1 and 5.0; thirty repetitions, as published.',
} as const;

function planOf(testbed: TestbedView, scale: StudyScale, security: 'TLS 1.2' | 'TLS 1.3'): PartPlan {
  const at = byScale(scale);
  const every = suitesOf(testbed, security);
  return {
    factors: {
      security: [security],
      cipherSuite: at(security === 'TLS 1.2' ? smokeSuites : every, every),
      // A TLS 1.2 suite requires a certificate type; TLS 1.3 suites accept any type.
      certificate: security === 'TLS 1.2' ? ['ECDSA P-256', 'RSA 2048'] : ['ECDSA P-256'],
      qos: scale === 'full' ? [0, 1, 2] : [0],
      mqttVersion: scale === 'full' ? ['3.1', '3.1.1', '5.0'] : ['3.1.1', '5.0'],
      readingBytes: [100],
      rate: ['max'],
      publishers: [10],
      link: linksOfKinds(testbed, ['ethernet', 'wifi', 'cellular']),
    },
    workload: {
      kind: 'stream',
      // No warm-up, as published. At QoS 0, a warm-up would build up a queue that delays the measured
      // messages.
      warmUpMs: 0,
      // Limits a run with stuck messages. Normally, a run ends with its last message.
      measureMs: at(300, 1500, 5000),
      messages: 100,
      window: 100,
    },
    repetitions: at(3, 5, 30),
    sampleHz: 10,
    response: 'rate.messages',
  };
}

/** One suite of each cipher and version, for questions about a few suites. */
const few = [
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
];

function planFew(
  testbed: TestbedView,
  scale: StudyScale,
  { factors, workload }: Pick<PartPlan, 'factors'> & { workload: Partial<PartPlan['workload']> },
): PartPlan {
  const plan = planOf(testbed, scale, 'TLS 1.3');
  const cipherSuite = scale === 'smoke' ? few.filter((suite) => suite.includes('AES')) : few;
  const own = { security: ['TLS 1.2', 'TLS 1.3'], cipherSuite, qos: [1], mqttVersion: ['5.0'] };
  return {
    ...plan,
    factors: { ...plan.factors, ...own, ...factors },
    workload: { ...plan.workload, ...workload },
  };
}

/**
 * Plans readings of 1 MByte, as stated. Only a few messages are in flight, so that no broker must store a
 * gigabyte.
 */
function planMegabyte(testbed: TestbedView, scale: StudyScale): PartPlan {
  const at = byScale(scale);
  return planFew(testbed, scale, {
    factors: { readingBytes: [1_000_000] },
    workload: { messages: at(2, 10, 100), window: 4, measureMs: at(1000, 10_000, 120_000) },
  });
}

/**
 * Plans the comparison of clients at QoS 1, because acknowledgements then limit every client. Planning
 * excludes clients that a device lacks.
 */
function planClients(testbed: TestbedView, scale: StudyScale): PartPlan {
  return planFew(testbed, scale, {
    factors: {
      client: [...agentClients],
      cipherSuite: scale === 'smoke' ? few.slice(0, 1) : few,
      ...(scale === 'smoke' ? { security: ['TLS 1.2'] } : {}),
    },
    // These clients only stop after a given time.
    workload: {
      messages: null,
      warmUpMs: byScale(scale)(100, 300, 300),
      measureMs: byScale(scale)(500, 3000, 10_000),
    },
  });
}

/** Figures and tables as in the study. The table contains the means. */
const responses: readonly PageBlock[] = [
  {
    kind: 'dots',
    title: 'Bandwidth by suite',
    caption: 'Messages that arrived, over all clients; the fastest suite first.',
    quantities: [{ head: 'Bandwidth', measure: 'rate.messages', unit: 'msg/s', format: formatRate }],
    order: 'descending',
    names: ['cipherSuite', 'client'],
    groups: ['link', 'mqttVersion', 'qos'],
    bars: true,
  },
  {
    kind: 'table',
    title: 'Responses of the study by suite',
    names: ['cipherSuite', 'link', 'mqttVersion', 'qos', 'client'],
    quantities: [
      { head: 'Total ratio', measure: totalRatio, unit: '' },
      { head: 'Total run time', measure: 'publishers.totalRunTime', unit: 's' },
      { head: 'Average run time', measure: 'publishers.runTime', unit: 's' },
      { head: 'Message time, mean', measure: 'latency.mean', unit: 'ms' },
      { head: 'min', measure: 'latency.min', unit: 'ms' },
      { head: 'max', measure: 'latency.max', unit: 'ms' },
      { head: 'sd of means', measure: 'publishers.latencySd', unit: 'ms' },
      { head: 'Average bandwidth', measure: 'publishers.rate', unit: 'msg/s', format: formatRate },
      { head: 'Total bandwidth', measure: 'rate.messages', unit: 'msg/s', format: formatRate },
      { head: 'Interquartile range', measure: quartileRange, unit: 'ms' },
      { head: 'TLS handshake', measure: 'setUp.tls', unit: 'ms' },
    ],
  },
];

/** Comparison of many suites. */
const suiteBlocks: readonly PageBlock[] = [
  { kind: 'rows', title: 'Best and worst suite', rows: bestAndWorst },
  ...responses,
  {
    kind: 'boxes',
    title: 'Message time by suite',
    caption:
      'From publishing to arrival. Circles: fastest and slowest message, not to scale if the axis is broken.',
    of: 'latency',
    extremes: true,
    names: ['cipherSuite', 'link', 'mqttVersion', 'qos', 'client'],
  },
  {
    kind: 'rows',
    title: 'Ranks on this testbed of the suites published as best or worst',
    rows: placesOfPrinted,
    missing: 'this part ran none of these suites',
  },
];

export const cipherSuites: PublishedStudy = {
  id: 'cipher-suites',
  title: 'Every cipher suite',
  question: 'Which cipher suites achieve the highest and lowest MQTT message rates?',
  citation: 'Sensors 24(9):2781, 2024',
  publishedTestbed: 'Two Raspberry Pi 4 (8 GB), Mosquitto 2.0.11; Ethernet, 2.4 GHz WiFi, 4G/LTE',
  publishedAes: false,
  needs: [
    needLink('ethernet', 'Ethernet between the devices'),
    needLink('wifi', 'WiFi between the devices'),
    needLink('cellular', '4G/LTE between the devices'),
  ],
  claims: cipherSuitesClaims,
  reasons: ['cpu', 'link'],
  notStated: [
    'Payload: stated as 1 MByte (line 346), which contradicts the published rates if they are totals over all clients. At 22,623 messages/s over 65 Mbit/s WiFi (line 480), a message has at most 359 B, headers included.',
    'Whether the rates in table 2 are for all clients or for one client. Figures 8 to 16 call their rates average bandwidth (lines 512 to 528).',
    'Client: the text names mosquitto_pub and mosquitto_sub (lines 286 and 439), but elsewhere mqtt-benchmark, which is written in Go (line 476).',
    'Certificates, keys and chain length; whether values are means or medians over 30 runs.',
  ],
  different: [
    'Payload of 100 B, which fits the published rates. Part c sends 1 MB, as the text states.',
    'Client: mqttlab’s native engine, with at most 100 messages in flight per client. Part d compares other clients.',
    'The testbed’s links, without a separate VLAN or a tunnel to a central broker.',
    'Total ratio: sent messages per received message, as the text defines it (lines 351 to 354). Total run time: from the due time of the first message of any client to the arrival of the last message. Average run time and bandwidth: mean over clients. Sd of means: standard deviation of the clients’ mean message times. Clients that run as separate programs do not report times per client.',
  ],
  across: {
    title: 'Best QoS, suite and TLS version by link',
    text: 'The study’s first aim, over parts a and b, which differ only in suites and TLS versions. Ranked by means; other combinations may be equally good.',
    parts: ['a', 'b'],
    rows: bestTriple,
  },
  parts: [
    {
      id: 'a',
      title: 'suites of TLS 1.2',
      question: 'Which TLS 1.2 suite achieves the highest message rate?',
      gaps,
      notes,
      plan: (testbed, scale) => planOf(testbed, scale, 'TLS 1.2'),
      blocks: suiteBlocks,
      published: { tables: ['best-worst'], isShown: (treatment) => treatment.includes('TLS 1.2') },
    },
    {
      id: 'b',
      title: 'suites of TLS 1.3',
      question: 'Which TLS 1.3 suite achieves the highest message rate?',
      gaps: [],
      notes,
      plan: (testbed, scale) => planOf(testbed, scale, 'TLS 1.3'),
      blocks: suiteBlocks,
      published: { tables: ['best-worst'], isShown: (treatment) => treatment.includes('TLS 1.3') },
      notStated: [
        'Suites under TLS 1.3: most names in table 2 are TLS 1.2 suites, which TLS 1.3 cannot negotiate. The clients could not choose a TLS 1.3 suite (line 664), so the suite of those rows is unknown.',
      ],
    },
    {
      id: 'c',
      title: 'payload of 1 MByte, as stated',
      question: 'Which suite achieves the highest rate with the message size stated in the text?',
      gaps: [],
      notes: {
        smoke: 'One suite per TLS version, 10 clients × 2 messages of 1 MB at QoS 1; three repetitions.',
        bench: 'Four suites, 10 clients × 10 messages of 1 MB at QoS 1, five repetitions.',
        full: 'Four suites, 10 clients × 100 messages of 1 MB at QoS 1, thirty repetitions.',
      },
      plan: planMegabyte,
      blocks: responses,
      different: [
        'QoS 1 with at most four messages in flight per client, so that the broker does not store a gigabyte.',
      ],
    },
    {
      id: 'd',
      title: 'clients of the study',
      question:
        'How do mosquitto_pub and mosquitto_sub, MQTT.js and paho-mqtt compare with mqttlab’s native engine?',
      gaps: [
        {
          what: 'mqttx and mqtt-cli',
          reason: 'mqttlab does not run these programs; MQTT.js, the library of mqttx, is compared instead',
        },
      ],
      notes: {
        smoke: 'One TLS 1.2 suite at QoS 1, three repetitions of 0.5 s.',
        bench: 'Four suites at QoS 1, five repetitions of 3 s.',
        full: 'Four suites at QoS 1, thirty repetitions of 10 s.',
      },
      plan: planClients,
      blocks: responses,
      different: ['QoS 1, few suites, and a duration instead of 1,000 messages: this part compares clients.'],
    },
  ],
};
