import { offeredByAny, type TestbedView } from '../../domain/testbed-view.ts';
import { describeSuite } from '../suites.ts';
import { linksOfKinds, needLink } from './links.ts';
import { byScale, type PartPlan, type Protocol, type ProtocolScale } from './protocol.ts';

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

/** Every suite that broker or clients offer, the study's own first: planning says which of them are impossible. */
function suitesOf(testbed: TestbedView, security: 'TLS 1.2' | 'TLS 1.3'): string[] {
  const offered = offeredByAny(testbed, (tls) => tls.suites).filter(
    (name) => describeSuite(name).security === security,
  );
  return [...new Set([...(security === 'TLS 1.2' ? namedByStudy : []), ...offered])];
}

/** Fills the queue of the broker at QoS 0: message time is then time in the queue. */
const gaps = [
  {
    what: '10 clients × 100 messages, then the end',
    reason:
      'workloads are bounded by time, not by a number of messages; at QoS 0 as fast as possible a queue grows, and message time grows with it',
  },
];

const notes = {
  smoke:
    'QoS 1 with 20 messages in flight for each of 10 clients, so that no queue grows; one MQTT version, one repetition of 0.8 s.',
  bench:
    'Every suite of broker and clients at QoS 1 with 20 messages in flight for each client and MQTT 5.0, three repetitions of 1.5 s.',
  full: 'QoS 0, 1, 2 and MQTT 3.1, 3.1.1, 5.0, thirty repetitions of 2 s.',
} as const;

function planOf(testbed: TestbedView, scale: ProtocolScale, security: 'TLS 1.2' | 'TLS 1.3'): PartPlan {
  const every = suitesOf(testbed, security);
  const named = security === 'TLS 1.2' ? namedByStudy : every;
  return {
    factors: {
      security: [security],
      cipherSuite: byScale(scale, [named, every, named]),
      // A suite of TLS 1.2 takes the one that it needs; those of TLS 1.3 take any.
      certificate: security === 'TLS 1.2' ? ['ECDSA P-256', 'RSA 2048'] : ['ECDSA P-256'],
      qos: byScale(scale, [[1], [1], [0, 1, 2]]),
      mqttVersion: byScale(scale, [
        [security === 'TLS 1.2' ? '3.1.1' : '5.0'],
        ['5.0'],
        ['3.1', '3.1.1', '5.0'],
      ]),
      readingBytes: [100],
      rate: ['max'],
      publishers: [10],
      link: linksOfKinds(testbed, ['ethernet', 'wifi', 'cellular']),
    },
    workload: {
      kind: 'stream',
      warmUpMs: byScale(scale, [200, 300, 500]),
      measureMs: byScale(scale, [800, 1500, 2000]),
      window: 20,
    },
    repetitions: byScale(scale, [1, 3, 30]),
    sampleHz: 10,
    response: 'rate.messages',
  };
}

export const cipherSuites: Protocol = {
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
  parts: [
    {
      id: 'a',
      title: 'suites of TLS 1.2',
      question: 'Which TLS 1.2 suite carries most messages per second?',
      gaps,
      notes,
      plan: (testbed, scale) => planOf(testbed, scale, 'TLS 1.2'),
    },
    {
      id: 'b',
      title: 'suites of TLS 1.3',
      question: 'Which TLS 1.3 suite carries most messages per second?',
      gaps,
      notes,
      plan: (testbed, scale) => planOf(testbed, scale, 'TLS 1.3'),
    },
  ],
};
