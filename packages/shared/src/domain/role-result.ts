import * as z from 'zod';
import { roles } from './device.ts';
import { phases } from './phase.ts';

const count = z.int().min(0);

/** One phase as one device saw it. Times on the testbed clock in µs; bytes below TLS, above TCP. */
export const phaseRecordSchema = z.strictObject({
  phase: z.enum(phases),
  startUs: z.number(),
  /** With several connections: the mean over connections for the set-up phases, the span for the others. */
  durationUs: z.number().min(0),
  /** CPU time of the MQTT process in this phase, user and system; null where it could not be read. */
  cpuUs: z.number().min(0).nullable(),
  bytesSent: count,
  bytesReceived: count,
  connections: count,
});

/** What the two ends agreed on, as read from the connection itself. */
export const negotiatedSchema = z.strictObject({
  /** "TLSv1.3", "TLSv1.2" or null when plain. */
  protocol: z.string().nullable(),
  cipherSuite: z.string().nullable(),
  group: z.string().nullable(),
  certificate: z.string().nullable(),
  certificateSubject: z.string().nullable(),
  certificateChainLength: count.nullable(),
  signature: z.string().nullable(),
  resumed: z.boolean().nullable(),
  mqttVersion: z.string(),
  /** Granted by SUBACK; null for publishers. */
  grantedQos: z.int().min(0).max(2).nullable(),
  /** Receive Maximum of CONNACK (MQTT 5 section 3.2.2.3.3); null before MQTT 5. */
  receiveMaximum: count.nullable(),
  maximumPacketBytes: count.nullable(),
  localAddress: z.string(),
  localPort: count,
  remoteAddress: z.string(),
  remotePort: count,
});

/** A latency or lateness histogram in µs, sparse: index, count, index, count ... */
export const histogramJsonSchema = z.strictObject({
  lowest: z.number(),
  highest: z.number(),
  digits: z.int(),
  count,
  /** null while empty. */
  min: z.number().nullable(),
  max: z.number().nullable(),
  sum: z.number(),
  sumSquares: z.number(),
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
  /** Sent more than lateAfterUs behind their due time. */
  late: count,
  /** Due in the measure phase but not sent because the window or the socket was full at its end. */
  unsent: count,
  /** Arrived without a readable stamp: counted, but without latency. */
  unstamped: count,
  payloadBytesSent: count,
  payloadBytesReceived: count,
});

export const seriesSchema = z.strictObject({
  metric: z.string(),
  unit: z.string(),
  /** Since the start of the measure phase; negative during warm-up. */
  timesMs: z.array(z.number()),
  values: z.array(z.number().nullable()),
});

export const logLineSchema = z.strictObject({
  /** Unix time, ms. */
  at: z.number(),
  level: z.enum(['debug', 'info', 'warn', 'error']),
  source: z.string(),
  text: z.string(),
});

/** Everything one device in one role has to say about one Run. */
export const roleResultSchema = z.strictObject({
  role: z.enum(roles),
  phases: z.array(phaseRecordSchema),
  negotiated: negotiatedSchema.nullable(),
  /** Local ports of every connection of this role, to find them in a capture. */
  localPorts: z.array(count),
  counters: countersSchema.nullable(),
  latency: histogramJsonSchema.nullable(),
  lateness: histogramJsonSchema.nullable(),
  series: z.array(seriesSchema),
  /** Free facts: broker configuration, pid, versions, kernel, governor. */
  environment: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  log: z.array(logLineSchema),
  /** Collectors that failed; the Run is then degraded, with this reason. */
  degraded: z.array(z.strictObject({ collector: z.string(), reason: z.string() })),
  /** Set when this role could not carry out the Trial. */
  failure: z.strictObject({ code: z.string(), message: z.string(), remedy: z.string() }).nullable(),
});

export type PhaseRecord = z.infer<typeof phaseRecordSchema>;
export type Negotiated = z.infer<typeof negotiatedSchema>;
export type HistogramJson = z.infer<typeof histogramJsonSchema>;
export type Counters = z.infer<typeof countersSchema>;
export type Series = z.infer<typeof seriesSchema>;
export type LogLine = z.infer<typeof logLineSchema>;
export type RoleResult = z.infer<typeof roleResultSchema>;
export type RoleFailure = NonNullable<RoleResult['failure']>;
