import * as z from 'zod';
import { count, documentText, instantMs, measure, sentence, word } from '../bounds.ts';
import { energyQualities } from '../devices/capabilities.ts';
import { roles } from '../devices/device.ts';
import { shapingOutcomeSchema, tcpFactsSchema } from '../plans/impairment.ts';
import { bridgeCountersSchema, brokerStatusSchema } from './bridge-counters.ts';
import { captureSchema, resultFileSchema } from './capture.ts';
import { radioSchema } from './radio.ts';
import { phases } from './statuses.ts';
import { throughputSchema } from './throughput.ts';

/** Offset that turns a device's monotonic µs into testbed µs, and its bound. */
export const clockOffsetSchema = z.strictObject({
  offsetUs: measure,
  /** 0 when server and device share one kernel (same boot id). */
  uncertaintyUs: measure.min(0),
});

/** One phase as one device saw it. Times on the testbed clock in µs; bytes below TLS, above TCP. */
export const phaseRecordSchema = z.strictObject({
  phase: z.enum(phases),
  startUs: measure,
  /** With several connections: the mean over connections for the set-up phases, the span for the others. */
  durationUs: measure.min(0),
  /** CPU time of the MQTT process in this phase, user and system; null where it could not be read. */
  cpuUs: measure.min(0).nullable(),
  /** Energy of the whole device in this phase; null without a source. */
  energyJ: measure.nullable().default(null),
  /** null where they are not counted: a broker does not tell its own. */
  bytesSent: count.nullable(),
  bytesReceived: count.nullable(),
  connections: count,
});

/** What the two ends agreed on, as read from the connection itself. */
export const negotiatedSchema = z.strictObject({
  /** "TLSv1.3", "TLSv1.2" or null when plain. */
  protocol: word.nullable(),
  cipherSuite: word.nullable(),
  group: word.nullable(),
  certificate: word.nullable(),
  certificateSubject: sentence.nullable(),
  certificateChainLength: count.nullable(),
  signature: word.nullable(),
  resumed: z.boolean().nullable(),
  /** Kind of the certificate that the client showed; null when it showed none. */
  clientCertificate: word.nullable().default(null),
  mqttVersion: word,
  /** Granted by SUBACK; null for publishers. */
  grantedQos: z.int().min(0).max(2).nullable(),
  /** Receive Maximum of CONNACK (MQTT 5 section 3.2.2.3.3); null before MQTT 5. */
  receiveMaximum: count.nullable(),
  maximumPacketBytes: count.nullable(),
  localAddress: word,
  localPort: count,
  remoteAddress: word,
  remotePort: count,
});

/** A latency or lateness histogram in µs, sparse: index, count, index, count ... */
export const histogramJsonSchema = z.strictObject({
  lowest: measure,
  highest: measure,
  digits: z.int().min(0).max(10),
  count,
  /** null while empty. */
  min: measure.nullable(),
  max: measure.nullable(),
  /** Of many values, and of their squares. */
  sum: z.number().min(-1e30).max(1e30),
  sumSquares: z.number().min(0).max(1e50),
  overflow: count,
  underflow: count,
  buckets: z.array(count),
});

/** Counted in the measure phase only (messages stamped as measured). */
export const countersSchema = z.strictObject({
  /** Handed to the socket. */
  sent: count,
  /** Completed handshakes of QoS 1 (PUBACK) and 2 (PUBCOMP). */
  acknowledged: count,
  /** Different messages that arrived. */
  received: count,
  duplicate: count,
  reordered: count,
  /**
   * Measured messages at QoS 2 that the broker sent under a packet identifier whose handshake was still open, and not as
   * a repetition (DUP = 0): MQTT 5 section 4.3.3 demands that the receiver discards them.
   */
  identifierReused: count.default(0),
  /** Sent more than lateAfterUs behind their due time. */
  late: count,
  /** Due in the measure phase but not sent because the window or the socket was full at its end. */
  unsent: count,
  /** Arrived without a readable stamp: counted, but without latency. */
  unstamped: count,
  payloadBytesSent: count,
  payloadBytesReceived: count,
  /** Of the payloads sent as they travel: encrypted and encoded. 0 where nobody counted. */
  carriedBytesSent: count.default(0),
  /** Payloads whose authentication tag was wrong; this and the next two in warm-up too, for their stamp is unreadable. */
  unauthentic: count.default(0),
  /** Payloads refused because they had been accepted before, unless MQTT said that they come again (DUP). */
  replayed: count.default(0),
  /** Payloads that are no encrypted or encoded payload at all. */
  malformed: count.default(0),
  /** Connections of a handshake, reconnect or states workload. */
  connectionsOpened: count.default(0),
  connectionsFailed: count.default(0),
  /** Below TLS, of those that were opened: from SYN to the close of each, none of another. 0 where nobody counted. */
  connectionBytesSent: count.default(0),
  connectionBytesReceived: count.default(0),
  /** Sent with one bit of the payload changed behind the encryption. */
  altered: count.default(0),
  /** Connections or sessions that the abuser had at most at one time. */
  connectionsHeld: count.default(0),
});

/** Names of `roleResultSchema.histograms`. Times in µs. */
export const histogramNames = [
  /** One entry for each connection of a handshake or reconnect workload. */
  'phase.tcp',
  'phase.tls',
  'phase.connect',
  'phase.subscribe',
  /** From the first SYN to CONNACK. */
  'phase.set-up',
  /** The same of the connections that stay open throughout; one entry for each. */
  'kept.set-up',
  /** For each reading: latency of its message plus the time it waited for the message to be full. */
  'readingAge',
  /** Publisher to broker and back to the publisher's own device, by one clock. */
  'roundTrip',
  /**
   * From the due time of a message to its last acknowledgement at the publisher: PUBACK, PUBCOMP, or the response of
   * a CoAP server.
   */
  'exchange',
  /** Of the cipher alone, in steps of 0.01 µs; of fast load every eighth message is timed. */
  'encryption',
  'decryption',
] as const;

/** What one connection spent to reach a state, on the wire and below it; counted as frames are captured. */
export const stateBytesSchema = z.strictObject({
  state: z.enum(['CON', 'SUB', 'PUB', 'DISC']),
  /** TCP payload. */
  bytesSent: count,
  bytesReceived: count,
  /** Whole frames with their Ethernet, IP and TCP headers; null where the kernel does not report it the segments. */
  frameBytes: count.nullable(),
  frames: count.nullable(),
});

/** A test of NIST SP 800-22 over ciphertexts of this Run. */
export const randomnessSchema = z.strictObject({
  test: z.enum(['monobit', 'runs', 'approximate entropy']),
  messages: count,
  /** Messages with p >= 0.01. */
  passed: count,
  meanP: measure.nullable(),
});

/** ms since the start of the measure phase. */
export const baselineWindowSchema = z.strictObject({ fromMs: measure, toMs: measure });

/** Where a meter said nothing: how long, and what the energy can be wrong by for that. */
export const meterGapsSchema = z.strictObject({ ms: measure, errorJ: measure });

/** Energy of the device from the start of its first phase to the end of its last. */
export const energySchema = z.strictObject({
  source: word,
  quality: z.enum(energyQualities),
  /** Which sensor, or which coefficients. */
  detail: sentence,
  /** Mean power while nothing ran, before the load; null when it could not be measured. */
  baselineW: measure.nullable(),
  /** When that was; absent where it was not kept, or where a model knows it. */
  baselineWindow: baselineWindowSchema.optional(),
  /** Of a meter's file in the measure phase; absent where there are none. */
  gaps: meterGapsSchema.optional(),
  /** In the measure phase. */
  measureJ: measure.nullable(),
  /** V of the supply, where the source tells; mAh need it. */
  voltageV: measure.nullable(),
  /** Of the battery that feeds the device, as somebody said. */
  batteryMah: measure.nullable().default(null),
});

/** Of the MQTT process in the measure phase, from perf_event_open(2). */
export const perfCountersSchema = z.strictObject({
  cycles: measure.nullable(),
  instructions: measure.nullable(),
  cacheReferences: measure.nullable(),
  cacheMisses: measure.nullable(),
});

/** Device against server, before and after the load; the server fills it in. */
export const runClockSchema = z.strictObject({
  before: clockOffsetSchema,
  after: clockOffsetSchema.nullable(),
});

export const seriesSchema = z.strictObject({
  metric: word,
  unit: word,
  /** Since the start of the measure phase; negative during warm-up. */
  timesMs: z.array(measure),
  values: z.array(measure.nullable()),
});

export const logLineSchema = z.strictObject({
  /** Unix time, ms. */
  at: instantMs,
  level: z.enum(['debug', 'info', 'warn', 'error']),
  source: word,
  text: documentText,
});

/** Which of the devices in its role this one is, from 0, and how many of them took part in the Run. */
export const resultShareSchema = z.strictObject({ index: z.int().min(0), of: z.int().min(1) });

/** Everything one device in one role has to say about one Run. */
export const roleResultSchema = z.strictObject({
  role: z.enum(roles),
  /** Name of the device; the server fills it in. */
  device: word.default(''),
  share: resultShareSchema.default({ index: 0, of: 1 }),
  phases: z.array(phaseRecordSchema),
  negotiated: negotiatedSchema.nullable(),
  /** Of a bridge on the leg to the local broker; `negotiated` is that to the cloud. */
  upstream: negotiatedSchema.nullable().default(null),
  /** Of a bridge only. */
  bridge: bridgeCountersSchema.nullable().default(null),
  /** Of a bridge only: the local broker, and each of its list of cloud brokers. */
  brokerStatus: z.array(brokerStatusSchema).max(100).optional(),
  /** Local ports of every connection of this role, to find them in a capture. */
  localPorts: z.array(count),
  counters: countersSchema.nullable(),
  /** null in results of before, and where no messages travel. */
  throughput: throughputSchema.nullable().default(null),
  latency: histogramJsonSchema.nullable(),
  lateness: histogramJsonSchema.nullable(),
  /** By `histogramNames`; what does not apply is absent. */
  histograms: z.partialRecord(z.enum(histogramNames), histogramJsonSchema).default({}),
  states: z.array(stateBytesSchema).default([]),
  randomness: z.array(randomnessSchema).default([]),
  energy: energySchema.nullable().default(null),
  perf: perfCountersSchema.nullable().default(null),
  clock: runClockSchema.nullable().default(null),
  /** What this device put on the link; empty where nothing was asked of it. */
  shaping: z.array(shapingOutcomeSchema).default([]),
  tcp: tcpFactsSchema.nullable().default(null),
  /** Where the link is wireless. */
  radio: radioSchema.optional(),
  /** Of a broker's device whose packets were captured. */
  capture: captureSchema.optional(),
  /** What the device keeps beside this result until the server has fetched it. */
  files: z.array(resultFileSchema).max(2).optional(),
  series: z.array(seriesSchema),
  /** Free facts: broker configuration, pid, versions, kernel, governor. */
  environment: z.record(word, z.union([documentText, measure, z.boolean(), z.null()])),
  log: z.array(logLineSchema),
  /** Collectors that failed; the Run is then degraded, with this reason. */
  degraded: z.array(z.strictObject({ collector: word, reason: sentence })),
  /** Set when this role could not carry out the Trial. */
  failure: z.strictObject({ code: word, message: sentence, remedy: sentence }).nullable(),
});

export type ClockOffset = z.infer<typeof clockOffsetSchema>;
export type HistogramName = (typeof histogramNames)[number];
export type StateBytes = z.infer<typeof stateBytesSchema>;
export type Randomness = z.infer<typeof randomnessSchema>;
export type RunEnergy = z.infer<typeof energySchema>;
export type PerfCounters = z.infer<typeof perfCountersSchema>;
export type RunClock = z.infer<typeof runClockSchema>;
export type PhaseRecord = z.infer<typeof phaseRecordSchema>;
export type Negotiated = z.infer<typeof negotiatedSchema>;
export type HistogramJson = z.infer<typeof histogramJsonSchema>;
export type Counters = z.infer<typeof countersSchema>;
export type Series = z.infer<typeof seriesSchema>;
export type LogLine = z.infer<typeof logLineSchema>;
export type RoleResult = z.infer<typeof roleResultSchema>;
export type RoleFailure = NonNullable<RoleResult['failure']>;
