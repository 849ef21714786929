import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { AbuseKind } from '@mqttlab/shared/domain/plans/trial-spec';
import { byScale, type PartPlan, type StudyScale } from '@mqttlab/shared/planning/study';
import { captureOf, linksOfKinds, needLink, packetCapture } from '../needs.ts';
import type { PublishedStudy } from '../study.ts';
import { rpiBrokerClaims } from './claims.ts';

const suite = 'TLS_AES_256_GCM_SHA384';
/** One for each kind of certificate. */
const suites12 = ['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'];
const tens = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

function planLoad(testbed: TestbedView, scale: StudyScale): PartPlan {
  const at = byScale(scale);
  return {
    factors: {
      security: ['plain', 'TLS 1.3'],
      cipherSuite: [suite],
      subscribers: at([10, 50, 100], tens, tens),
      qos: [0, 1, 2],
      rate: at<(string | number)[]>([50], [50], ['max']),
      readingBytes: [100],
      publishers: [1],
      link: linksOfKinds(testbed, ['wifi']),
    },
    // QoS is compared under TLS, where the study found QoS 0 to cost most.
    ...(scale === 'full'
      ? {}
      : {
          leaveOut: [
            { qos: [1, 2], security: ['plain'] },
            ...(scale === 'smoke' ? [{ security: ['plain'], subscribers: [50] }] : []),
            { qos: [1, 2], subscribers: tens.filter((count) => count !== (scale === 'smoke' ? 50 : 100)) },
          ],
        }),
    workload: { kind: 'stream', warmUpMs: at(150, 1000, 5000), measureMs: at(400, 3500, 20_000) },
    repetitions: at(3, 3, 10),
    sampleHz: at(10, 10, 1),
    response: 'cpu.broker',
  };
}

function planStates(testbed: TestbedView, scale: StudyScale): PartPlan {
  const at = byScale(scale);
  return {
    factors: {
      security: at(['plain', 'TLS 1.3'], ['plain', 'TLS 1.2', 'TLS 1.3'], ['plain', 'TLS 1.2', 'TLS 1.3']),
      cipherSuite: scale === 'smoke' ? [suite] : [suite, ...suites12],
      certificate: at(['ECDSA P-256'], ['ECDSA P-256', 'RSA 2048'], ['ECDSA P-256', 'RSA 2048', 'RSA 4096']),
      chainLength: at([1], [1, 2], [1, 2, 3]),
      qos: at([2], [0, 1, 2], [0, 1, 2]),
      mqttVersion: ['5.0'],
      link: linksOfKinds(testbed, ['wifi']),
    },
    // The workload ends with its last connection; measureMs only bounds it.
    workload: { kind: 'states', warmUpMs: 100, measureMs: at(600, 3000, 8000), connections: at(6, 30, 90) },
    repetitions: at(3, 2, 10),
    sampleHz: 10,
    response: 'state.CON.frameBytes',
  };
}

/** The published throughputs and medians are those of 1,000 B. */
const lossPayloadBytes = 1000;

function planLoss(testbed: TestbedView, scale: StudyScale): PartPlan {
  const at = byScale(scale);
  return {
    factors: {
      applicationProtocol: at(
        ['mqtt', 'coap confirmable'],
        ['mqtt', 'coap confirmable', 'coap non-confirmable'],
        ['mqtt', 'coap confirmable', 'coap non-confirmable'],
      ),
      security: ['plain'],
      loss: at([0, 2, 10], [0, 2, 4, 6, 8, 10], [0, 2, 4, 6, 8, 10]),
      impairedDirection: ['towards the broker'],
      // The acknowledgement of QoS 1 is what a response is to CoAP.
      qos: [1],
      readingBytes: [lossPayloadBytes],
      readingsPerMessage: [1],
      publishers: [1],
      subscribers: [1],
      rate: [at(100, 20, 20)],
      link: linksOfKinds(testbed, ['wifi']),
    },
    ...(scale === 'smoke' ? { leaveOut: [{ applicationProtocol: ['coap confirmable'], loss: [2] }] } : {}),
    workload: {
      kind: 'stream',
      warmUpMs: at(100, 1000, 5000),
      messages: at(50, 80, 1000),
      measureMs: at(1000, 15_000, 60_000),
      // A confirmable message that got lost four times comes back after 45 s (RFC 7252 section 4.8).
      drainTimeoutMs: at(10_000, 30_000, 60_000),
    },
    repetitions: at(3, 3, 10),
    sampleHz: at(10, 10, 1),
    response: 'exchange.p50',
  };
}

/** Mosquitto as it comes has 1,024 files, one for each connection and some for itself. */
const holders = 1100;
/** Silent connections are thrown out after one and a half times the shortest keep-alive, 10 s, and a little. */
const untilThrownOutMs = 18_000;

function planHolders(testbed: TestbedView, scale: StudyScale): PartPlan {
  const at = byScale(scale);
  return {
    ...abuseOf('slow keep-alive', testbed, scale),
    workload: {
      kind: 'availability',
      warmUpMs: at(500, 2000, 10_000),
      measureMs: at(1000, untilThrownOutMs, 60_000),
      abusers: holders,
    },
  };
}

function planSessions(testbed: TestbedView, scale: StudyScale): PartPlan {
  const at = byScale(scale);
  const plan = abuseOf('persistent sessions', testbed, scale);
  return {
    ...plan,
    factors: { ...plan.factors, readingBytes: [10_000] },
    workload: {
      kind: 'availability',
      warmUpMs: at(300, 2000, 10_000),
      measureMs: at(700, 6000, 60_000),
      abusers: at(200, 500, 1000),
      queuedMessages: 20,
    },
  };
}

function abuseOf(kind: AbuseKind, testbed: TestbedView, scale: StudyScale): Omit<PartPlan, 'workload'> {
  const at = byScale(scale);
  return {
    factors: {
      broker: ['mosquitto'],
      security: at(['plain'], ['plain'], ['plain', 'TLS 1.3']),
      cipherSuite: [suite],
      abuse: [kind],
      brokerHardening: ['as published', 'hardened'],
      mqttVersion: ['5.0'],
      link: linksOfKinds(testbed, ['wifi']),
    },
    repetitions: at(3, 3, 10),
    sampleHz: 10,
    response: 'availability.reached',
  };
}

function planCapture(testbed: TestbedView, scale: StudyScale): PartPlan {
  const at = byScale(scale);
  return {
    factors: {
      security: ['plain', 'TLS 1.2', 'TLS 1.3'],
      cipherSuite: [suite, 'ECDHE-ECDSA-AES256-GCM-SHA384'],
      capture: captureOf(testbed),
      qos: [1],
      rate: [at(100, 50, 50)],
      readingBytes: [100],
      mqttVersion: ['5.0'],
      link: linksOfKinds(testbed, ['wifi']),
    },
    workload: { kind: 'stream', warmUpMs: at(100, 1000, 5000), measureMs: at(300, 4000, 20_000) },
    repetitions: at(3, 3, 10),
    sampleHz: 10,
    response: 'wire.perMessage',
  };
}

const emqx = {
  what: 'An EMQX of its own',
  reason:
    'this laboratory starts Mosquitto and an embedded broker only; an EMQX that somebody else runs is measured as an external broker and never abused',
};

export const rpiBroker: PublishedStudy = {
  id: 'rpi-broker',
  title: 'The broker on a Raspberry Pi',
  question: 'How many subscribers, how many bytes, how much loss and what abuse does a small broker bear?',
  citation: 'Vorotilov, University of Twente, 2024',
  publishedTestbed: 'EMQX on a Raspberry Pi 4B, paho-mqtt on a laptop, one WiFi router; MQTT 5.0',
  publishedAes: false,
  needs: [needLink('wifi', 'WiFi between the devices'), packetCapture],
  claims: rpiBrokerClaims,
  parts: [
    {
      id: 'a',
      title: 'load by subscribers',
      question: 'How does the CPU of the broker grow with subscribers, and where is it exhausted?',
      gaps: [],
      notes: {
        smoke:
          '10, 50 and 100 subscribers at 50 messages/s (as fast as possible would keep one thread of the broker busy at once), QoS 1 and 2 under TLS only; three repetitions of 0.4 s.',
        bench:
          '10 to 100 subscribers at QoS 0 and 50 messages/s, QoS 1 and 2 with 100 under TLS; three repetitions.',
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
        smoke: 'TLS 1.3 only, one certificate, QoS 2, three repetitions of 6 connections.',
        bench: 'TLS 1.2 and 1.3, two certificates, chains of 1 and 2, two repetitions of 30 connections.',
        full: 'Three certificates, chains of 1 to 3, ten repetitions of 90 connections.',
      },
      plan: planStates,
    },
    {
      id: 'c',
      title: 'packet loss, MQTT and CoAP',
      question: 'What does packet loss do to latency and throughput of MQTT and of CoAP?',
      gaps: [],
      notes: {
        smoke:
          'No loss, 2 and 10 % towards the broker, 50 messages of 1,000 B at 100/s, confirmable CoAP only; three repetitions.',
        bench: 'All six losses towards the broker, 80 messages of 1,000 B at 20/s, three repetitions.',
        full: 'As published: 1,000 messages of 1,000 B for each loss; ten repetitions.',
      },
      plan: planLoss,
    },
    {
      id: 'd',
      title: 'availability under slow keep-alive holders',
      question: 'Can a legitimate client still connect while others hold silent connections?',
      gaps: [emqx],
      notes: {
        smoke:
          'Plain, three repetitions of 1 s: too short for the keep-alive of the hardened broker, which ends silent connections after 15 s.',
        bench: 'Plain, three repetitions of 18 s.',
        full: 'Plain and TLS 1.3, ten repetitions of 60 s.',
      },
      plan: planHolders,
    },
    {
      id: 'e',
      title: 'availability under persistent sessions',
      question:
        'What do sessions that never expire cost the broker, and does a legitimate client still get in?',
      gaps: [
        emqx,
        {
          what: 'The Will kept with a session',
          reason:
            'sessions here carry queued messages; a Will stays with a session whose client has gone only under a Will Delay Interval (MQTT 5 section 3.1.3.2.2), which the abuser does not send',
        },
      ],
      notes: {
        smoke: 'Plain, 200 sessions with 20 messages of 10 kB each, three repetitions of 0.7 s.',
        bench: 'Plain, 500 sessions, three repetitions of 6 s.',
        full: 'Plain and TLS 1.3, 1,000 sessions, ten repetitions of 60 s.',
      },
      plan: planSessions,
    },
    {
      id: 'f',
      title: 'what an eavesdropper sees',
      question: 'What do the packets of MQTT show to somebody between the devices, plain and under TLS?',
      gaps: [
        {
          what: 'Coming between the devices (Ettercap) and scanning their ports (Nmap)',
          reason:
            'that attacks a network which others use too; packets are captured at the device of the broker, where all of them pass',
        },
      ],
      notes: {
        smoke: 'Plain, TLS 1.2 and TLS 1.3, three repetitions of 0.3 s at 100 messages/s.',
        bench: 'Plain, TLS 1.2 and TLS 1.3, three repetitions of 4 s at 50 messages/s.',
        full: 'Plain, TLS 1.2 and TLS 1.3, ten repetitions of 20 s at 50 messages/s; the text gives no figures.',
      },
      plan: planCapture,
    },
  ],
};
