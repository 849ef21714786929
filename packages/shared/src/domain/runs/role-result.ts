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

/** Offset from a device's monotonic clock to the testbed clock in µs, and its maximum error. */
export const clockOffsetSchema = z.strictObject({
  offsetUs: measure,
  /** 0 if the server and the device share one kernel (same boot id). */
  uncertaintyUs: measure.min(0),
});

/** One phase on one device. Times are on the testbed clock in µs; bytes are counted below TLS, above TCP. */
export const phaseRecordSchema = z.strictObject({
  phase: z.enum(phases),
  startUs: measure,
  /** With several connections: the mean over connections for set-up phases, the span for other phases. */
  durationUs: measure.min(0),
  /** CPU time of the MQTT process in this phase, user and system; null if it could not be read. */
  cpuUs: measure.min(0).nullable(),
  /** Energy of the device in this phase; null without a source. */
  energyJ: measure.nullable().default(null),
  /** null if not counted, because brokers do not report their bytes. */
  bytesSent: count.nullable(),
  bytesReceived: count.nullable(),
  connections: count,
});

/** Negotiated parameters, read from the connection. */
export const negotiatedSchema = z.strictObject({
  /** "TLSv1.3" or "TLSv1.2"; null for plain. */
  protocol: word.nullable(),
  cipherSuite: word.nullable(),
  group: word.nullable(),
  certificate: word.nullable(),
  certificateSubject: sentence.nullable(),
  certificateChainLength: count.nullable(),
  signature: word.nullable(),
  resumed: z.boolean().nullable(),
  /** Type of the client's certificate; null if it has none. */
  clientCertificate: word.nullable().default(null),
  mqttVersion: word,
  /** QoS granted by SUBACK; null for publishers. */
  grantedQos: z.int().min(0).max(2).nullable(),
  /** Receive Maximum in CONNACK (MQTT 5 section 3.2.2.3.3); null before MQTT 5. */
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
  /** null if empty. */
  min: measure.nullable(),
  max: measure.nullable(),
  /** Sum of the values, and sum of their squares. */
  sum: z.number().min(-1e30).max(1e30),
  sumSquares: z.number().min(0).max(1e50),
  overflow: count,
  underflow: count,
  buckets: z.array(count),
});

/** Counters for the measure phase only (messages stamped as measured). */
export const countersSchema = z.strictObject({
  /** Messages written to the socket. */
  sent: count,
  /** Completed handshakes at QoS 1 (PUBACK) and 2 (PUBCOMP). */
  acknowledged: count,
  /** Distinct messages that arrived. */
  received: count,
  duplicate: count,
  reordered: count,
  /**
   * Measured QoS 2 messages that the broker sent with a packet identifier whose handshake was still open, and
   * not as a repetition (DUP = 0). MQTT 5 section 4.3.3 requires the receiver to discard such messages.
   */
  identifierReused: count.default(0),
  /** Messages sent more than lateAfterUs after their due time. */
  late: count,
  /**
   * Messages due in the measure phase but not sent, because the window or the socket was full at the end of
   * the phase.
   */
  unsent: count,
  /** Messages that arrived without a readable stamp, which are counted without latency. */
  unstamped: count,
  payloadBytesSent: count,
  payloadBytesReceived: count,
  /** Bytes in the sent payloads, encrypted and encoded; 0 if not counted. */
  carriedBytesSent: count.default(0),
  /**
   * Payloads with a wrong authentication tag. This counter and the next two include the warm-up, because the
   * stamp is unreadable.
   */
  unauthentic: count.default(0),
  /**
   * Payloads rejected because they had already been accepted, unless MQTT marked them as redelivered (DUP).
   */
  replayed: count.default(0),
  /** Payloads that are not encrypted or encoded correctly. */
  malformed: count.default(0),
  /** Connections in a handshake, reconnect or states workload. */
  connectionsOpened: count.default(0),
  connectionsFailed: count.default(0),
  /** Bytes below TLS on the opened connections, each from SYN to close; 0 if not counted. */
  connectionBytesSent: count.default(0),
  connectionBytesReceived: count.default(0),
  /** Messages sent with one bit in the payload flipped after encryption. */
  altered: count.default(0),
  /** Maximum number of the attacker's simultaneous connections or sessions. */
  connectionsHeld: count.default(0),
});

/** Names used in `roleResultSchema.histograms`. Times are in µs. */
export const histogramNames = [
  /** One entry per connection in a handshake or reconnect workload. */
  'phase.tcp',
  'phase.tls',
  'phase.connect',
  'phase.subscribe',
  /** From the first SYN to CONNACK. */
  'phase.set-up',
  /** From the first SYN to CONNACK for connections that stay open; one entry per connection. */
  'kept.set-up',
  /** One entry per reading: latency of its message plus the time that the reading waited in its batch. */
  'readingAge',
  /** From the publisher to the broker and back to the publisher's device, measured with one clock. */
  'roundTrip',
  /**
   * From the due time of a message to its last acknowledgement at the publisher: PUBACK, PUBCOMP, or a CoAP
   * server's response.
   */
  'exchange',
  /** Time of the cipher only, in steps of 0.01 µs; under fast load, only every eighth message is timed. */
  'encryption',
  'decryption',
] as const;

/** Frames and bytes that one connection needed to reach a state; counted like captured frames. */
export const stateBytesSchema = z.strictObject({
  state: z.enum(['CON', 'SUB', 'PUB', 'DISC']),
  /** TCP payload. */
  bytesSent: count,
  bytesReceived: count,
  /** Complete frames with Ethernet, IP and TCP headers; null if the kernel does not report segments. */
  frameBytes: count.nullable(),
  frames: count.nullable(),
});

/** A NIST SP 800-22 test over ciphertexts from this run. */
export const randomnessSchema = z.strictObject({
  test: z.enum(['monobit', 'runs', 'approximate entropy']),
  messages: count,
  /** Messages with p >= 0.01. */
  passed: count,
  meanP: measure.nullable(),
});

/** Time window in ms since the start of the measure phase. */
export const baselineWindowSchema = z.strictObject({ fromMs: measure, toMs: measure });

/** Gaps in the samples from a meter: total duration, and the resulting maximum energy error. */
export const meterGapsSchema = z.strictObject({ ms: measure, errorJ: measure });

/** Energy of the device from the start of its first phase to the end of its last phase. */
export const energySchema = z.strictObject({
  source: word,
  quality: z.enum(energyQualities),
  /** The sensor, or the model's coefficients. */
  detail: sentence,
  /** Mean idle power before the load; null if it could not be measured. */
  baselineW: measure.nullable(),
  /** When idle power was measured; absent if it was not stored or is from a model. */
  baselineWindow: baselineWindowSchema.optional(),
  /** Gaps in a meter file in the measure phase; absent without gaps. */
  gaps: meterGapsSchema.optional(),
  /** Energy in the measure phase. */
  measureJ: measure.nullable(),
  /** Supply voltage in V, if the source reports it; needed for mAh. */
  voltageV: measure.nullable(),
  /** Configured capacity of the device's battery. */
  batteryMah: measure.nullable().default(null),
});

/** Hardware counters of the MQTT process in the measure phase, from perf_event_open(2). */
export const perfCountersSchema = z.strictObject({
  cycles: measure.nullable(),
  instructions: measure.nullable(),
  cacheReferences: measure.nullable(),
  cacheMisses: measure.nullable(),
});

/** Clock comparison between device and server before and after the load; set by the server. */
export const runClockSchema = z.strictObject({
  before: clockOffsetSchema,
  after: clockOffsetSchema.nullable(),
});

export const seriesSchema = z.strictObject({
  metric: word,
  unit: word,
  /** Times since the start of the measure phase; negative during the warm-up. */
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

/** 0-based index of the device among the devices with its role, and their number in this run. */
export const resultShareSchema = z.strictObject({ index: z.int().min(0), of: z.int().min(1) });

/** The complete report by one device in one role about one run. */
export const roleResultSchema = z.strictObject({
  role: z.enum(roles),
  /** Name of the device; set by the server. */
  device: word.default(''),
  share: resultShareSchema.default({ index: 0, of: 1 }),
  phases: z.array(phaseRecordSchema),
  negotiated: negotiatedSchema.nullable(),
  /** Parameters of a bridge's leg to the local broker; `negotiated` is the leg to the cloud. */
  upstream: negotiatedSchema.nullable().default(null),
  /** Only for a bridge. */
  bridge: bridgeCountersSchema.nullable().default(null),
  /** Only for a bridge: the status of the local broker and of each cloud broker. */
  brokerStatus: z.array(brokerStatusSchema).max(100).optional(),
  /** Local ports of all connections in this role, to identify them in a capture. */
  localPorts: z.array(count),
  counters: countersSchema.nullable(),
  /** null in results from earlier versions, and without messages. */
  throughput: throughputSchema.nullable().default(null),
  latency: histogramJsonSchema.nullable(),
  lateness: histogramJsonSchema.nullable(),
  /** Histograms by the names in `histogramNames`; absent if not applicable. */
  histograms: z.partialRecord(z.enum(histogramNames), histogramJsonSchema).default({}),
  states: z.array(stateBytesSchema).default([]),
  randomness: z.array(randomnessSchema).default([]),
  energy: energySchema.nullable().default(null),
  perf: perfCountersSchema.nullable().default(null),
  clock: runClockSchema.nullable().default(null),
  /** Shaping rules of this device; empty without impairment. */
  shaping: z.array(shapingOutcomeSchema).default([]),
  tcp: tcpFactsSchema.nullable().default(null),
  /** Set if the link is wireless. */
  radio: radioSchema.optional(),
  /** Set on a broker's device with packet capture. */
  capture: captureSchema.optional(),
  /** Files that the device stores with this result until the server has fetched them. */
  files: z.array(resultFileSchema).max(2).optional(),
  series: z.array(seriesSchema),
  /** Additional facts: broker configuration, pid, versions, kernel, governor. */
  environment: z.record(word, z.union([documentText, measure, z.boolean(), z.null()])),
  log: z.array(logLineSchema),
  /** Failed collectors with the reason; a run with failed collectors is degraded. */
  degraded: z.array(z.strictObject({ collector: word, reason: sentence })),
  /** Set if this role could not execute the trial. */
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
