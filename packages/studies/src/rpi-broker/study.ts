import { meanOf } from '@mqttlab/charts/blocks/measured';
import type { TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { AbuseKind } from '@mqttlab/shared/domain/plans/trial-spec';
import { formatNumber } from '@mqttlab/shared/format/number';
import { byScale, type PartPlan, type StudyScale } from '@mqttlab/shared/planning/study';
import { captureOf, linksOfKinds, needLink, packetCapture } from '../needs.ts';
import { eavesdropper } from '../page/eavesdropper.ts';
import type { PageBlock, StudyInput } from '../page/input.ts';
import { usableCores } from '../page/reasons.ts';
import type { PublishedStudy } from '../study.ts';
import { frameTable, states } from './bytes.ts';
import { rpiBrokerClaims } from './claims.ts';

const suite = 'TLS_AES_256_GCM_SHA384';
/** One suite per kind of certificate. */
const suites12 = ['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'];
const tens = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];

function planLoad(testbed: TestbedView, scale: StudyScale): PartPlan {
  const at = byScale(scale);
  return {
    factors: {
      security: ['plain', 'TLS 1.3'],
      cipherSuite: [suite],
      subscribers: at([10, 50, 100], tens),
      qos: [0, 1, 2],
      rate: at<(string | number)[]>([50], [50], ['max']),
      readingBytes: [100],
      publishers: [1],
      link: linksOfKinds(testbed, ['wifi']),
    },
    // QoS is compared under TLS, because QoS 0 under TLS costs the most according to the study.
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
      security: at(['plain', 'TLS 1.3'], ['plain', 'TLS 1.2', 'TLS 1.3']),
      cipherSuite: at([suite], [suite, ...suites12]),
      certificate: at(['ECDSA P-256'], ['ECDSA P-256', 'RSA 2048'], ['ECDSA P-256', 'RSA 2048', 'RSA 4096']),
      chainLength: at([1], [1, 2], [1, 2, 3]),
      qos: at([2], [0, 1, 2]),
      mqttVersion: ['5.0'],
      link: linksOfKinds(testbed, ['wifi']),
    },
    // The workload ends with its last connection; measureMs is only a limit.
    workload: { kind: 'states', warmUpMs: 100, measureMs: at(600, 3000, 8000), connections: at(6, 30, 90) },
    repetitions: at(3, 2, 10),
    sampleHz: 10,
    response: 'state.CON.frameBytes',
  };
}

function planLoss(testbed: TestbedView, scale: StudyScale): PartPlan {
  const at = byScale(scale);
  return {
    factors: {
      applicationProtocol: at(
        ['mqtt', 'coap confirmable'],
        ['mqtt', 'coap confirmable', 'coap non-confirmable'],
      ),
      security: ['plain'],
      loss: at([0, 2, 10], [0, 2, 4, 6, 8, 10]),
      impairedDirection: ['towards the broker'],
      // The acknowledgement at QoS 1 corresponds to the response in CoAP.
      qos: [1],
      // The published throughputs and medians are for 1,000 B.
      readingBytes: [1000],
      readingsPerMessage: [1],
      publishers: [1],
      subscribers: [1],
      rate: [at(100, 20)],
      link: linksOfKinds(testbed, ['wifi']),
    },
    ...(scale === 'smoke' ? { leaveOut: [{ applicationProtocol: ['coap confirmable'], loss: [2] }] } : {}),
    workload: {
      kind: 'stream',
      warmUpMs: at(100, 1000, 5000),
      messages: at(50, 80, 1000),
      measureMs: at(1000, 15_000, 60_000),
      // A confirmable message that is lost four times is retransmitted for up to 45 s (RFC 7252 section 4.8).
      drainTimeoutMs: at(10_000, 30_000, 60_000),
    },
    repetitions: at(3, 3, 10),
    sampleHz: at(10, 10, 1),
    response: 'exchange.p50',
  };
}

/** By default, Mosquitto can open 1,024 files: one per connection and some others. */
const holders = 1100;
/** Silent connections are closed after 1.5 times the shortest keep-alive, 10 s. */
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
      rate: [at(100, 50)],
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
  what: 'A managed EMQX',
  reason:
    'mqttlab starts only Mosquitto and an embedded broker; EMQX can be measured as an external broker, but is never attacked',
};

/**
 * Describes the share of the usable CPU that the broker uses with the most subscribers; 81.3 % of the board
 * in the study.
 */
function shareOfBoard(input: StudyInput): string {
  const last = input.treatments
    .filter(({ treatment: { levels } }) => levels.security !== 'plain' && levels.qos === 0)
    .toSorted((a, b) => Number(a.treatment.levels.subscribers) - Number(b.treatment.levels.subscribers))
    .at(-1);
  const cores = last && usableCores(input.facts, last.treatment.levels.broker ?? null);
  const percent = meanOf(input, last, 'cpu.broker');
  if (!last || !cores || percent === null) return '';
  return `Published: 325.34 % with 100 subscribers is 81.3 % of the board’s CPU (line 156). Here, TLS at QoS 0 with ${last.treatment.levels.subscribers} subscribers uses ${formatNumber(percent)} % of a core, which is ${formatNumber(percent / cores)} % of the CPU that the broker can use.`;
}

const xLabel = 's since the start of the attack';

/** Availability for clients, and the attack over time. */
const availability: readonly PageBlock[] = [
  {
    kind: 'text',
    text: 'During the attack, a legitimate client tries to connect every 0.1 s. An attempt times out after 2 s.',
  },
  {
    kind: 'table',
    title: 'Attempts to connect, and cost at the broker',
    names: ['brokerHardening', 'security'],
    quantities: [
      { head: 'Reached', measure: 'availability.reached', unit: '%' },
      { head: 'Reached, lowest run', measure: 'availability.reached', unit: '%', over: 'least' },
      { head: 'Median', measure: 'availability.connect.p50', unit: 'ms' },
      { head: 'Longest outage', measure: 'availability.outage', unit: 's' },
      { head: 'Occupied', measure: 'availability.held', unit: '' },
      { head: 'Memory gained', measure: 'availability.memoryGrowth', unit: 'MB' },
      { head: 'Memory at the end', measure: 'availability.memoryAtEnd', unit: 'MB' },
      { head: 'CPU', measure: 'cpu.broker', unit: '%' },
    ],
  },
  {
    kind: 'lines',
    title: 'Availability for a legitimate client',
    role: 'subscriber',
    metric: 'probe.reached',
    xLabel,
  },
  { kind: 'lines', title: 'Memory of the broker', role: 'broker', metric: 'memory.resident', xLabel },
];

/** Settings that the agent uses for Mosquitto. */
const limits: PageBlock = {
  kind: 'rows',
  title: 'Limits of both broker configurations',
  rows: () => ({
    columns: [{ head: 'Setting' }, { head: 'Default' }, { head: 'Hardened' }],
    rows: [
      ['max_connections', 'none, but a service is limited to 1,024 open files', '500'],
      ['max_keepalive', '65,535 s', '10 s, the minimum'],
      ['persistent_client_expiration', 'never', '1 h'],
      ['max_queued_messages', '1,000 per client', '10 per client'],
      ['max_queued_bytes', 'unlimited', '16 KiB per client'],
      ['max_packet_size', 'unlimited', '64 KiB'],
    ],
  }),
};

export const rpiBroker: PublishedStudy = {
  id: 'rpi-broker',
  title: 'The broker on a Raspberry Pi',
  question: 'How many subscribers, how much packet loss and which attacks can a small broker handle?',
  citation: 'Vorotilov, University of Twente, 2024',
  publishedTestbed: 'EMQX on a Raspberry Pi 4B, paho-mqtt on a laptop, one WiFi router; MQTT 5.0',
  publishedAes: false,
  needs: [needLink('wifi', 'WiFi between the devices'), packetCapture],
  claims: rpiBrokerClaims,
  reasons: ['cpu', 'broker', 'link'],
  different: [
    'Broker: Mosquitto, started for each run, instead of EMQX. EMQX uses all four cores of the board; Mosquitto uses one thread. Parts d and e attack it with default and hardened settings.',
    'Clients: mqttlab’s native engine instead of paho-mqtt, so the cost of clients is not comparable.',
  ],
  notStated: ['TLS version, suite and certificate.'],
  parts: [
    {
      id: 'a',
      title: 'load by subscribers',
      question:
        'How does the broker’s CPU use grow with the number of subscribers, and when is it exhausted?',
      gaps: [],
      notes: {
        smoke:
          '10, 50 and 100 subscribers at 50 messages/s (full speed would saturate the broker’s single thread immediately), QoS 1 and 2 under TLS only; three repetitions of 0.4 s.',
        bench:
          '10 to 100 subscribers at QoS 0 and 50 messages/s, QoS 1 and 2 with 100 under TLS; three repetitions.',
        full: 'As published: as fast as possible, QoS 0, 1, 2; ten repetitions of 20 s.',
      },
      plan: planLoad,
      blocks: [
        {
          kind: 'fit',
          title: 'CPU of the broker over subscribers',
          caption:
            'A marker for each run, and a least-squares line with its 95 % band for each configuration.',
          x: 'subscribers',
          quantity: { head: 'CPU, broker', measure: 'cpu.broker', unit: '%' },
          names: ['security', 'rate'],
          where: { qos: 0 },
          limit: {
            head: 'CPU that the broker can use',
            of: ({ facts }, { treatment }) => {
              const cores = usableCores(facts, treatment.levels.broker ?? null);
              return cores === null ? null : cores * 100;
            },
          },
          published: { slope: 'slope', intercept: 'intercept', crossing: 'saturation', limit: 400 },
        },
        {
          kind: 'table',
          title: 'CPU and memory of the broker by subscribers',
          names: ['security', 'qos', 'subscribers'],
          quantities: [
            { head: 'CPU', measure: 'cpu.broker', unit: '%', published: 'broker CPU' },
            { head: 'Memory', measure: 'memory.broker.mean', unit: 'MB' },
            { head: 'Memory, peak', measure: 'memory.broker.peak', unit: 'MB' },
            {
              head: 'Share of the device',
              measure: 'memoryShare.broker',
              unit: '%',
              published: 'peak memory',
            },
          ],
        },
        { kind: 'text', text: shareOfBoard },
      ],
      published: { tables: ['subscribers'] },
      notStated: [
        'Message payload; memory size of the board (memory use is stated as a percentage of it).',
        'The line is fitted only to the first and last points (line 160). These points give a slope of 1.317 and saturation at 156.7 subscribers; the rounded slope in the text gives 156.33.',
      ],
      different: [
        'Readings of 100 B. At smoke and bench scale, 50 messages/s instead of full speed. CPU use depends on the number of delivered messages, so the shape of the line is comparable, but its slope is not.',
      ],
    },
    {
      id: 'b',
      title: 'bytes to reach a state',
      question: 'How many bytes do connecting, subscribing, publishing and disconnecting need?',
      gaps: [],
      notes: {
        smoke: 'TLS 1.3 only, one certificate, QoS 2, three repetitions of 6 connections.',
        bench: 'TLS 1.2 and 1.3, two certificates, chains of 1 and 2, two repetitions of 30 connections.',
        full: 'Three certificates, chains of 1 to 3, ten repetitions of 90 connections.',
      },
      plan: planStates,
      blocks: [
        {
          kind: 'dots',
          title: 'Bytes to reach a state',
          caption:
            'Complete frames in both directions, including acknowledgements. SUB, PUB and DISC each start from CON.',
          quantities: states.map(({ state, depends }) => ({
            head: state,
            measure: `state.${state}.frameBytes`,
            unit: 'B',
            published: 'bytes',
            publishedAs: `{} ${state}`,
            distinct: ['security', ...depends],
          })),
          names: ['security', 'cipherSuite', 'certificate', 'chainLength', 'qos'],
          isLog: true,
        },
        { kind: 'rows', title: 'Frames, headers and what TLS adds', rows: frameTable },
      ],
      published: { tables: ['bytes-to-state'] },
      notStated: [
        'QoS of the published message (line 202). Our table shows the bytes for each QoS.',
        'Where counting starts. The three frames of the TCP handshake, CONNECT and CONNACK have at least 270 B of headers (54 B each, RFC 9293), which is more than the 194 B printed for CON over TCP.',
        'The text refers to figure 3 for these bytes (line 142), but its caption is about memory. The bytes are in table 3.',
      ],
      different: [
        'The kernel counts frames per connection, including the TCP handshake. The study added up the lengths of captured frames. Here, a frame has 66 B of headers (8 B more for SYN), and a TLS 1.3 record adds 22 B to a packet.',
        'A loopback frame carries up to 64 KB. Over Ethernet or WiFi, the response of a TLS server is split into frames of at most 1,448 B, each with headers and acknowledgements.',
      ],
    },
    {
      id: 'c',
      title: 'packet loss, MQTT and CoAP',
      question: 'How does packet loss affect the latency and throughput of MQTT and CoAP?',
      gaps: [],
      notes: {
        smoke:
          '0, 2 and 10 % loss towards the broker, 50 messages of 1,000 B at 100/s, confirmable CoAP only; three repetitions.',
        bench: 'All six loss rates towards the broker, 80 messages of 1,000 B at 20/s, three repetitions.',
        full: 'As published: 1,000 messages of 1,000 B for each loss rate; ten repetitions.',
      },
      plan: planLoss,
      blocks: [
        {
          kind: 'boxes',
          title: 'Time of an exchange by loss and protocol',
          caption: 'From the due time to the response: PUBLISH to PUBACK, CoAP request to response.',
          of: 'exchange',
          names: ['loss', 'applicationProtocol'],
        },
        {
          kind: 'dots',
          title: 'Payload over median exchange',
          caption:
            'MB of payload divided by the median exchange time in minutes, as the study defines throughput.',
          quantities: [
            { head: 'Throughput', measure: 'exchange.throughput', unit: 'MB/min', published: 'throughput' },
          ],
          names: ['applicationProtocol'],
          groups: ['loss'],
          isLog: true,
        },
        {
          kind: 'table',
          title: 'Exchanges and messages by loss',
          names: ['loss', 'applicationProtocol'],
          quantities: [
            { head: 'Median', measure: 'exchange.p50', unit: 'ms', published: 'latency, median' },
            {
              head: 'Third quartile',
              measure: 'exchange.p75',
              unit: 'ms',
              published: 'latency, third quartile',
            },
            { head: 'Arrived', measure: 'rate.messages', unit: 'msg/s' },
            { head: 'Unanswered', measure: 'count.lost', unit: 'messages' },
            { head: 'Retransmissions', measure: 'wire.retransmitted', unit: 'packets' },
          ],
        },
        {
          kind: 'text',
          text: 'The median does not change as long as fewer than half of the messages are slow. If every lost message costs a timeout and the others are fast, the throughput computed from the median stays constant while the upper quartile grows. The message rate in the table includes slow messages.',
        },
      ],
      published: { tables: ['loss'] },
      notStated: [
        'Payload: 5.73 MB/min at a median of 10.48 ms is 1,001 B, so 1,000 B are assumed.',
        'QoS of MQTT; whether CoAP was confirmable; how often messages were sent.',
        'The third quartile rises from 13.40 to 133.21 ms at 2 % loss, by a factor of 9.94 or 894 %. The text states an increase of 993 % (line 177).',
      ],
      different: [
        'Loss towards the broker only, as published: the kernel drops packets that arrive at the broker’s device, or tc drops the packets that the clients send.',
        'An exchange is PUBLISH to PUBACK at QoS 1, timed from its due time. It does not involve a subscriber, because CoAP has none.',
      ],
    },
    {
      id: 'd',
      title: 'availability under idle connections with a long keep-alive',
      question: 'Can a legitimate client still connect while others keep idle connections open?',
      gaps: [emqx],
      notes: {
        smoke:
          'Plain, three repetitions of 1 s: too short for the hardened broker, which closes idle connections after 15 s.',
        bench: 'Plain, three repetitions of 18 s.',
        full: 'Plain and TLS 1.3, ten repetitions of 60 s.',
      },
      plan: planHolders,
      blocks: [
        ...availability,
        limits,
        {
          kind: 'text',
          text: 'A connection limit does not reserve slots for legitimate clients: it limits the broker’s resources. The keep-alive limit makes room for clients, because the broker closes an idle connection after 1.5 times this limit (MQTT 5 section 3.1.2.10).',
        },
      ],
      needsReport: true,
      notStated: [
        'Number and duration of connections. The text gives no figures for this attack and does not state the cost of unlimited connections.',
      ],
    },
    {
      id: 'e',
      title: 'availability under persistent sessions',
      question:
        'What do sessions that never expire cost the broker, and can a legitimate client still connect?',
      gaps: [
        emqx,
        {
          what: 'The Will of a session',
          reason:
            'sessions here contain queued messages; a Will is stored with a session only with a Will Delay Interval (MQTT 5 section 3.1.3.2.2), which the attacker does not send',
        },
      ],
      notes: {
        smoke: 'Plain, 200 sessions with 20 messages of 10 kB each, three repetitions of 0.7 s.',
        bench: 'Plain, 500 sessions, three repetitions of 6 s.',
        full: 'Plain and TLS 1.3, 1,000 sessions, ten repetitions of 60 s.',
      },
      plan: planSessions,
      blocks: [
        ...availability,
        {
          kind: 'text',
          text: 'Idle sessions need memory but no connections, so memory determines availability. The queue limits in the table of part d bound the memory. Session expiry frees it after an hour at the earliest.',
        },
      ],
      needsReport: true,
      notStated: [
        'The study analysed persistent sessions based on the specification (line 152), without measurements. Here, the expected memory growth is measured.',
      ],
    },
    {
      id: 'f',
      title: 'what an eavesdropper sees',
      question: 'What do MQTT packets between the devices reveal, plain and under TLS?',
      gaps: [
        {
          what: 'Man-in-the-middle attack (Ettercap) and port scan (Nmap)',
          reason:
            'these tools attack a shared network; instead, all packets are captured on the broker’s device',
        },
      ],
      notes: {
        smoke: 'Plain, TLS 1.2 and TLS 1.3, three repetitions of 0.3 s at 100 messages/s.',
        bench: 'Plain, TLS 1.2 and TLS 1.3, three repetitions of 4 s at 50 messages/s.',
        full: 'Plain, TLS 1.2 and TLS 1.3, ten repetitions of 20 s at 50 messages/s; the text gives no figures.',
      },
      plan: planCapture,
      blocks: eavesdropper(['security']),
      needsReport: true,
      notStated: [
        'Results from the tools: Nmap, Ettercap and Wireshark are mentioned (line 92), but no topic, payload or capture is printed.',
      ],
      different: [
        'Packets are captured only on the broker’s device and at its port. Capturing uses CPU time there, so this part does not judge cost.',
      ],
    },
  ],
};
