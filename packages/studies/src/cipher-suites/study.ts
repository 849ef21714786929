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

/** TLS 1.2 suites that the study names; those of SHA-1 where the library still offers them. */
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

/** Those that the claims name, and one of each other kind. */
const smokeSuites = [
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'AES128-SHA',
];

/** Every suite that broker or clients offer, the study's own first: planning says which of them are impossible. */
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
      'messages are stored as a histogram: only the fastest and the slowest of a suite are drawn beyond P5 and P95',
  },
  {
    what: 'A central broker behind a tunnel, a separate VLAN',
    reason:
      'the bridge of this laboratory decrypts and encrypts again, unlike a plain bridge of Mosquitto, and VLANs are set in a router that it does not reach; the study measured between two nodes without them',
  },
  {
    what: 'Interference of the WiFi',
    reason:
      'no device reports it; channel, signal, PHY rate (65 Mbit/s at most there) and retries before and after each run are in the report of the experiment',
  },
  {
    what: 'Loss',
    reason:
      'the text names it as something to measure and gives no figure; the factor Packet loss of the wizard adds it to this plan',
  },
];

const notes = {
  smoke:
    'The suites that the claims name and one of each other kind, 10 clients × 100 messages at QoS 0 with MQTT 3.1.1 and 5.0; three repetitions.',
  bench:
    'Every suite of broker and clients, 10 clients × 100 messages at QoS 0 with MQTT 3.1.1 and 5.0; five repetitions.',
  full: 'Every suite of broker and clients, QoS 0, 1, 2 and MQTT 3.1, 3.1.1, 5.0; thirty repetitions, as published.',
} as const;

function planOf(testbed: TestbedView, scale: StudyScale, security: 'TLS 1.2' | 'TLS 1.3'): PartPlan {
  const at = byScale(scale);
  const every = suitesOf(testbed, security);
  return {
    factors: {
      security: [security],
      cipherSuite: at(security === 'TLS 1.2' ? smokeSuites : every, every),
      // A suite of TLS 1.2 takes the one that it needs; those of TLS 1.3 take any.
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
      // None, as published: before it, a queue at QoS 0 would grow that the messages then wait in.
      warmUpMs: 0,
      // Bounds a run in which messages are stuck; it ends with the last of them.
      measureMs: at(300, 1500, 5000),
      messages: 100,
      window: 100,
    },
    repetitions: at(3, 5, 30),
    sampleHz: 10,
    response: 'rate.messages',
  };
}

/** One of each cipher and version, for questions about a few suites. */
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

/** Readings of 1 MByte, as stated; with so few of a client in flight no broker has to keep a gigabyte. */
function planMegabyte(testbed: TestbedView, scale: StudyScale): PartPlan {
  const at = byScale(scale);
  return planFew(testbed, scale, {
    factors: { readingBytes: [1_000_000] },
    workload: { messages: at(2, 10, 100), window: 4, measureMs: at(1000, 10_000, 120_000) },
  });
}

/** At QoS 1, which every client bounds by what is acknowledged. Planning says which client a device lacks. */
function planClients(testbed: TestbedView, scale: StudyScale): PartPlan {
  return planFew(testbed, scale, {
    factors: {
      client: [...agentClients],
      cipherSuite: scale === 'smoke' ? few.slice(0, 1) : few,
      ...(scale === 'smoke' ? { security: ['TLS 1.2'] } : {}),
    },
    // They end by time only.
    workload: {
      messages: null,
      warmUpMs: byScale(scale)(100, 300, 300),
      measureMs: byScale(scale)(500, 3000, 10_000),
    },
  });
}

/** As the study draws and tabulates them; its table has what a figure of means would show. */
const responses: readonly PageBlock[] = [
  {
    kind: 'dots',
    title: 'Bandwidth by suite',
    caption: 'Messages that arrived, all clients together; the fastest suite first.',
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
      'From publishing to arrival. Circles: fastest and slowest message, without a scale where the axis is broken.',
    of: 'latency',
    extremes: true,
    names: ['cipherSuite', 'link', 'mqttVersion', 'qos', 'client'],
  },
  {
    kind: 'rows',
    title: 'Places here of the suites that were printed as best or worst',
    rows: placesOfPrinted,
    missing: 'none of them was run in this part',
  },
];

export const cipherSuites: PublishedStudy = {
  id: 'cipher-suites',
  title: 'Every cipher suite',
  question: 'Which cipher suite carries most MQTT messages per second, and which fewest?',
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
  unsaid: [
    'Payload: 1 MByte as stated (line 346), which its rates contradict if they are those of all clients: 22,623 messages/s through a WiFi of 65 Mbit/s (line 480) leave at most 359 B for each, headers included.',
    'Whether the rates of table 2 are those of all clients or of one: figures 8 to 16 call theirs average bandwidth (lines 512 to 528).',
    'Client: mosquitto_pub and mosquitto_sub in one place (lines 286 and 439), mqtt-benchmark, written in Go, in another (line 476).',
    'Certificates, their keys and chain; whether a figure is a mean or a median over 30 runs.',
  ],
  different: [
    'Payload of 100 B, which its rates allow; part c sends 1 MB, as the text states.',
    'Client: the engine of this laboratory, with at most 100 messages of each client in flight; part d compares others.',
    'Links are those of the testbed, without a separate VLAN and without a tunnel to a central broker.',
    'Total ratio: messages sent for each one received, as the text defines it (lines 351 to 354). Total run time: from the due time of the first message of any client to the arrival of the last one. Average run time and bandwidth: of one client, mean over clients. Sd of means: standard deviation of their mean message time. Clients that run as separate programs report no times of their own.',
  ],
  across: {
    title: 'Best QoS, suite and version of TLS by link',
    text: 'The first aim of the study, over parts a and b, which differ in suites and versions of TLS only. On the means: a neighbour may be as good.',
    parts: ['a', 'b'],
    rows: bestTriple,
  },
  parts: [
    {
      id: 'a',
      title: 'suites of TLS 1.2',
      question: 'Which TLS 1.2 suite carries most messages per second?',
      gaps,
      notes,
      plan: (testbed, scale) => planOf(testbed, scale, 'TLS 1.2'),
      blocks: suiteBlocks,
      published: { tables: ['best-worst'], isShown: (treatment) => treatment.includes('TLS 1.2') },
    },
    {
      id: 'b',
      title: 'suites of TLS 1.3',
      question: 'Which TLS 1.3 suite carries most messages per second?',
      gaps: [],
      notes,
      plan: (testbed, scale) => planOf(testbed, scale, 'TLS 1.3'),
      blocks: suiteBlocks,
      published: { tables: ['best-worst'], isShown: (treatment) => treatment.includes('TLS 1.3') },
      unsaid: [
        'Suites under TLS 1.3: most of those that table 2 prints there are names of TLS 1.2, which TLS 1.3 cannot negotiate, and its clients could not choose a suite of TLS 1.3 (line 664). The suite of those rows is not known.',
      ],
    },
    {
      id: 'c',
      title: 'payload of 1 MByte, as stated',
      question: 'Which suite carries most where messages are as large as the text says?',
      gaps: [],
      notes: {
        smoke: 'One suite of each TLS version, 10 clients × 2 messages of 1 MB at QoS 1; three repetitions.',
        bench: 'Four suites, 10 clients × 10 messages of 1 MB at QoS 1, five repetitions.',
        full: 'Four suites, 10 clients × 100 messages of 1 MB at QoS 1, thirty repetitions.',
      },
      plan: planMegabyte,
      blocks: responses,
      different: [
        'QoS 1 with at most four messages of each client in flight, so that the broker does not store a gigabyte.',
      ],
    },
    {
      id: 'd',
      title: 'the clients of the study',
      question:
        'What do mosquitto_pub and mosquitto_sub, MQTT.js and paho-mqtt carry beside the engine of this laboratory?',
      gaps: [
        {
          what: 'mqttx and mqtt-cli',
          reason:
            'this laboratory does not start these programs; MQTT.js, the library of mqttx, is compared instead',
        },
      ],
      notes: {
        smoke: 'One suite of TLS 1.2 at QoS 1, three repetitions of 0.5 s.',
        bench: 'Four suites at QoS 1, five repetitions of 3 s.',
        full: 'Four suites at QoS 1, thirty repetitions of 10 s.',
      },
      plan: planClients,
      blocks: responses,
      different: ['QoS 1, few suites, and a duration instead of 1,000 messages: this part compares clients.'],
    },
  ],
};
