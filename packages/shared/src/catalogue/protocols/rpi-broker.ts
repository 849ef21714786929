import type { TestbedView } from '../../domain/testbed-view.ts';
import { linksOfKinds, needLink } from './links.ts';
import { byScale, type PartPlan, type Protocol, type ProtocolScale } from './protocol.ts';

const suite = 'TLS_AES_256_GCM_SHA384';
/** One for each kind of certificate. */
const suites12 = ['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'];
const tens = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

function planLoad(testbed: TestbedView, scale: ProtocolScale): PartPlan {
  return {
    factors: {
      security: ['plain', 'TLS 1.3'],
      cipherSuite: [suite],
      subscribers: byScale(scale, [[10, 50, 100], tens, tens]),
      qos: byScale(scale, [[0], [0], [0, 1, 2]]),
      rate: byScale<(string | number)[]>(scale, [[50], [50], ['max']]),
      readingBytes: [100],
      publishers: [1],
      link: linksOfKinds(testbed, ['wifi']),
    },
    workload: {
      kind: 'stream',
      warmUpMs: byScale(scale, [300, 1000, 5000]),
      measureMs: byScale(scale, [1500, 5000, 20_000]),
    },
    repetitions: byScale(scale, [2, 5, 10]),
    sampleHz: byScale(scale, [10, 10, 1]),
    response: 'cpu.broker',
  };
}

function planStates(testbed: TestbedView, scale: ProtocolScale): PartPlan {
  return {
    factors: {
      security: byScale(scale, [
        ['plain', 'TLS 1.3'],
        ['plain', 'TLS 1.2', 'TLS 1.3'],
        ['plain', 'TLS 1.2', 'TLS 1.3'],
      ]),
      cipherSuite: scale === 'smoke' ? [suite] : [suite, ...suites12],
      certificate: byScale(scale, [
        ['ECDSA P-256', 'RSA 2048'],
        ['ECDSA P-256', 'RSA 2048'],
        ['ECDSA P-256', 'RSA 2048', 'RSA 4096'],
      ]),
      chainLength: byScale(scale, [[1], [1, 2], [1, 2, 3]]),
      qos: [0, 1, 2],
      mqttVersion: ['5.0'],
      link: linksOfKinds(testbed, ['wifi']),
    },
    // The workload ends with its last connection; measureMs only bounds it.
    workload: { kind: 'states', warmUpMs: 100, measureMs: 4000, connections: byScale(scale, [9, 30, 90]) },
    repetitions: byScale(scale, [1, 3, 10]),
    sampleHz: 10,
    response: 'state.CON.frameBytes',
  };
}

export const rpiBroker: Protocol = {
  id: 'rpi-broker',
  title: 'The broker on a Raspberry Pi',
  question: 'How many subscribers, how many bytes, how much loss and what abuse does a small broker bear?',
  citation: 'Vorotilov, University of Twente, 2024',
  publishedTestbed: 'EMQX on a Raspberry Pi 4B, paho-mqtt on a laptop, one WiFi router; MQTT 5.0',
  publishedAes: false,
  needs: [needLink('wifi', 'WiFi between the devices')],
  parts: [
    {
      id: 'a',
      title: 'load by subscribers',
      question: 'How does the CPU of the broker grow with subscribers, and where is it exhausted?',
      gaps: [],
      notes: {
        smoke:
          '10, 50 and 100 subscribers at QoS 0 and 50 messages/s: at full speed one thread of the broker is busy at once, and no line is left to fit.',
        bench: '10 to 100 subscribers at QoS 0 and 50 messages/s, five repetitions.',
        full: 'As published: as fast as possible, QoS 0, 1, 2; ten repetitions of 20 s.',
      },
      plan: planLoad,
    },
    {
      id: 'b',
      title: 'bytes to reach a state',
      question: 'How many bytes does it take to connect, subscribe, publish and disconnect?',
      gaps: [],
      notes: {
        smoke: 'TLS 1.3 only, two certificates, one repetition of 9 connections.',
        bench: 'TLS 1.2 and 1.3, two certificates, chains of 1 and 2, three repetitions of 30 connections.',
        full: 'Three certificates, chains of 1 to 3, ten repetitions of 90 connections.',
      },
      plan: planStates,
    },
    {
      id: 'c',
      title: 'packet loss, MQTT and CoAP',
      question: 'What does packet loss do to latency and throughput of MQTT and of CoAP?',
      gaps: [
        {
          what: 'Loss of 0 to 10 % on the link',
          reason: 'links cannot be shaped: the factor “link impairment” is not built yet',
        },
        { what: 'CoAP, confirmable and not', reason: 'the application protocol is not a factor yet' },
      ],
      notes: { smoke: '', bench: '', full: '' },
      plan: null,
    },
    {
      id: 'd',
      title: 'availability under session abuse',
      question: 'Can a legitimate client still connect while others hold connections or sessions?',
      gaps: [
        {
          what: 'Slow keep-alive holders and persistent-session exhaustion',
          reason: 'there is no workload that holds connections or sessions open on purpose yet',
        },
        {
          what: 'A broker as published beside a hardened one',
          reason: 'limits of the broker’s configuration are not a factor yet',
        },
      ],
      notes: { smoke: '', bench: '', full: '' },
      plan: null,
    },
  ],
};
