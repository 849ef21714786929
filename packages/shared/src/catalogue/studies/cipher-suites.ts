import { offeredByAny, type TestbedView } from '../../domain/devices/testbed-view.ts';
import { describeSuite } from '../ciphers/suites.ts';
import { linksOfKinds, needLink } from './needs.ts';
import { byScale, type PartPlan, type Study, type StudyScale } from './study.ts';

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

const notes = {
  smoke: '10 clients × 100 messages as published, at QoS 0 with one MQTT version; one repetition.',
  bench:
    'Every suite of broker and clients, 10 clients × 100 messages at QoS 0 and MQTT 5.0; five repetitions.',
  full: 'As published: QoS 0, 1, 2 and MQTT 3.1, 3.1.1, 5.0, thirty repetitions.',
} as const;

function planOf(testbed: TestbedView, scale: StudyScale, security: 'TLS 1.2' | 'TLS 1.3'): PartPlan {
  const at = byScale(scale);
  const every = suitesOf(testbed, security);
  const named = security === 'TLS 1.2' ? namedByStudy : every;
  return {
    factors: {
      security: [security],
      cipherSuite: at(named, every, named),
      // A suite of TLS 1.2 takes the one that it needs; those of TLS 1.3 take any.
      certificate: security === 'TLS 1.2' ? ['ECDSA P-256', 'RSA 2048'] : ['ECDSA P-256'],
      qos: at([0], [0], [0, 1, 2]),
      mqttVersion: at([security === 'TLS 1.2' ? '3.1.1' : '5.0'], ['5.0'], ['3.1', '3.1.1', '5.0']),
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
      measureMs: at(1000, 2000, 5000),
      messages: 100,
      window: 100,
    },
    repetitions: at(1, 5, 30),
    sampleHz: 10,
    response: 'rate.messages',
  };
}

export const cipherSuites: Study = {
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
      gaps: [],
      notes,
      plan: (testbed, scale) => planOf(testbed, scale, 'TLS 1.2'),
    },
    {
      id: 'b',
      title: 'suites of TLS 1.3',
      question: 'Which TLS 1.3 suite carries most messages per second?',
      gaps: [],
      notes,
      plan: (testbed, scale) => planOf(testbed, scale, 'TLS 1.3'),
    },
  ],
};
