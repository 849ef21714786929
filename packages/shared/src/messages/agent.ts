import * as z from 'zod';
import { measure } from '../domain/bounds.ts';
import { brokerPortsSchema } from '../domain/devices/broker-ports.ts';
import { agentCapabilitiesSchema } from '../domain/devices/capabilities.ts';
import { brokerRoles, roles, sharedRoles } from '../domain/devices/device.ts';
import { deviceHealthSchema } from '../domain/devices/device-health.ts';
import { externalBrokerSchema } from '../domain/devices/external-broker.ts';
import { externalDeviceSchema } from '../domain/devices/external-device.ts';
import { shapingOrderSchema } from '../domain/plans/impairment.ts';
import { trialSpecSchema } from '../domain/plans/trial-spec.ts';
import {
  clockOffsetSchema,
  logLineSchema,
  negotiatedSchema,
  roleResultSchema,
} from '../domain/runs/role-result.ts';
import { phases } from '../domain/runs/statuses.ts';
import { fetchFileSchema, filePartSchema } from './result-files.ts';
import { resultKeySchema as resultKey, setAsideListSchema, setAsideNameSchema } from './set-aside.ts';

/** Version of the protocol between server and agent; both sides refuse other versions. */
export const agentProtocolVersion = 2;

/** The agent connects to this path with `Authorization: Bearer <token>`; frames are JSON text. */
export const agentSocketPath = '/api/v1/agent';

/**
 * Headers for enrolment: the agent's name in the request, and its new token in the response to the WebSocket
 * handshake.
 */
export const enrolHeaders = { name: 'x-mqttlab-name', token: 'x-mqttlab-token' } as const;

const runId = z.int().min(1);

const brokerFiles = z.strictObject({
  /** PEM texts, which the agent writes with mode 0600 to its run folder and removes afterwards. */
  certificateChain: z.string(),
  privateKey: z.string(),
  /** CA certificate for client certificates; null unless mutual TLS is used. */
  clientAuthority: z.string().nullable(),
});

const clientFiles = z.strictObject({ certificateChain: z.string(), privateKey: z.string() });

const credentials = z.strictObject({ username: z.string(), password: z.string() });

/**
 * Key material for this run only: a secret shared by both clients (base64), or the private key of one end for
 * a key agreement (PEM). A device without an agent has its own private key and receives the other end's
 * public key.
 */
export const payloadKeySchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('secret'), secret: z.base64() }),
  z.strictObject({ kind: z.literal('agreement'), ownPrivateKey: z.string(), peerPublicKey: z.string() }),
  z.strictObject({ kind: z.literal('peer'), peerPublicKey: z.string() }),
]);

const brokerEndpoint = z.strictObject({ address: z.string(), port: z.int().min(1).max(65_535) });

/**
 * The part of the load for one device if several share its role. `spec` describes only the device's own load,
 * except that a subscriber's `spec` counts all publishers, because it receives messages from all of them.
 */
export const loadShareSchema = z.strictObject({
  /** 0-based index among the devices with the same role, and their number. */
  index: z.int().min(0),
  of: z.int().min(1),
  /** Index in the run of the device's first publisher or subscriber. */
  first: z.int().min(0),
  /** Number of publishers on all devices in the run. */
  publishers: z.int().min(1),
});

const prepareBroker = z.strictObject({
  kind: z.literal('prepare-broker'),
  role: z.enum(brokerRoles).default('broker'),
  spec: trialSpecSchema,
  /** null for plain, and for an external broker. */
  tls: brokerFiles.nullable(),
  external: externalBrokerSchema.nullable(),
  /**
   * For a device without an agent: a fixed port and its credentials. If absent, a free port without login is
   * used.
   */
  fixedListener: z
    .strictObject({ port: z.int().min(1).max(65_535), logins: z.array(credentials).min(1) })
    .optional(),
  /**
   * Range from which the free port is chosen; if absent, any port. Agents of versions before this setting
   * refuse the field.
   */
  ports: brokerPortsSchema.optional(),
  /** Shaping rules to apply before any client connects; none if absent. */
  shaping: shapingOrderSchema.optional(),
  /** Id of the energy source to use; null: the best available. */
  energySource: z.string().nullable(),
  clock: clockOffsetSchema,
});

const prepareClient = z.strictObject({
  kind: z.literal('prepare-client'),
  role: z.enum(sharedRoles),
  spec: trialSpecSchema,
  broker: brokerEndpoint,
  /** PEM of the testbed's CA certificate; null for plain. */
  authority: z.string().nullable(),
  /** The name that the certificate must contain. */
  serverName: z.string(),
  /** Client certificate for mutual TLS; otherwise null. */
  certificate: clientFiles.nullable(),
  credentials: credentials.nullable(),
  shaping: shapingOrderSchema.optional(),
  /** Key material for the payload cipher; null without a payload cipher. */
  payloadKey: payloadKeySchema.nullable(),
  /**
   * External device that has this role; the agent waits for it and communicates with it. Absent if there is
   * none.
   */
  external: externalDeviceSchema.optional(),
  /** Id of the energy source to use; null for the best available source. */
  energySource: z.string().nullable(),
  /**
   * True if a publisher also subscribes and records round trips, because publisher and subscriber have
   * different clocks.
   */
  mirror: z.boolean().default(false),
  /** Random 32-bit tag of this run, the first field of every stamp. */
  runTag: z.int().min(0).max(0xffffffff),
  clock: clockOffsetSchema,
  /** null if this device generates the entire load for its role. */
  share: loadShareSchema.nullable().default(null),
});

/** One leg of a bridge: its destination and protection. */
const bridgeLeg = z.strictObject({
  /** PEM of the CA certificate for its brokers; null for plain. */
  authority: z.string().nullable(),
  serverName: z.string(),
  certificate: clientFiles.nullable(),
  credentials: credentials.nullable(),
  payloadKey: payloadKeySchema.nullable(),
});

const prepareBridge = z.strictObject({
  kind: z.literal('prepare-bridge'),
  /** Specification for the publisher, from which the leg to the cloud is derived. */
  spec: trialSpecSchema,
  local: bridgeLeg.extend({ broker: brokerEndpoint }),
  /** The first broker is used until it fails, then the next one. */
  cloud: bridgeLeg.extend({ brokers: z.array(brokerEndpoint).min(1) }),
  energySource: z.string().nullable(),
  runTag: z.int().min(0).max(0xffffffff),
  clock: clockOffsetSchema,
});

/** Opens all connections (and subscribes); returns the negotiated parameters. */
const connectClient = z.strictObject({ kind: z.literal('connect') });

/** Start of the warm-up, start of the measure phase and end of sending (testbed clock, µs). */
const startLoad = z.strictObject({
  kind: z.literal('start'),
  warmUpAtUs: measure,
  measureAtUs: measure,
  stopAtUs: measure,
});

/**
 * Publisher: waits for outstanding acknowledgements. Subscriber: waits until `expected` measured messages
 * have arrived, no message has arrived for a while, or drainTimeoutMs has passed. Broker: ends the measure
 * phase.
 */
const drain = z.strictObject({ kind: z.literal('drain'), expected: z.int().min(0).nullable() });

/** Ends the run on the device, restores its previous state, then sends the result. */
const teardown = z.strictObject({ kind: z.literal('teardown') });

/** Like teardown, but immediate and possible at any time; the result contains the data collected so far. */
const abort = z.strictObject({ kind: z.literal('abort'), reason: z.string() });

export const agentCommandSchema = z.discriminatedUnion('kind', [
  prepareBroker,
  prepareClient,
  prepareBridge,
  connectClient,
  startLoad,
  drain,
  teardown,
  abort,
]);

export const serverFrameSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('welcome'), protocol: z.int(), agentId: z.string(), name: z.string() }),
  z.strictObject({ type: z.literal('refused'), reason: z.string(), remedy: z.string() }),
  z.strictObject({ type: z.literal('command'), id: z.int(), runId, command: agentCommandSchema }),
  /** The result is stored, so the agent can delete it. */
  z.strictObject({ type: z.literal('ack'), key: resultKey }),
  /** The result will never be stored. The agent sets it aside with the reason and does not send it again. */
  z.strictObject({ type: z.literal('refuse-result'), key: resultKey, reason: z.string().max(1000) }),
  /** The result could not be stored when it arrived. The agent sends it again if it still has it. */
  z.strictObject({ type: z.literal('deliver'), key: resultKey }),
  /** Requests a result that was set aside. */
  z.strictObject({ type: z.literal('fetch-set-aside'), id: z.int(), name: setAsideNameSchema }),
  fetchFileSchema,
  /** Certificates (PEM) of the server's own CA, which the agent pins; two during a replacement. */
  z.strictObject({
    type: z.literal('trust'),
    id: z.int(),
    authorities: z.array(z.string().max(10_000)).min(1).max(4),
  }),
  /** First of the four timestamps (RFC 5905 section 8); t0 is from the server's monotonic clock. */
  z.strictObject({ type: z.literal('clock'), id: z.int(), t0Us: measure }),
]);

/** Response to each command. */
export const brokerReadySchema = z.strictObject({
  address: z.string(),
  port: z.int(),
  kind: z.string(),
  version: z.string(),
  /** null for an external broker with an unknown process. */
  pid: z.int().nullable(),
});
export const connectedSchema = z.strictObject({ negotiated: negotiatedSchema });
export const drainedSchema = z.strictObject({
  /** Number of measured messages: sent for a publisher, received for a subscriber. */
  messages: z.int().min(0),
  timedOut: z.boolean(),
});

const latencyMs = { p5: measure, p50: measure, p95: measure };

/** Live progress, one small frame per second during the load; never stored. */
export const progressSchema = z.strictObject({
  role: z.enum(roles),
  /** Device, set by the server, because several devices can share a role. */
  deviceId: z.string().optional(),
  /** Time since the start of the measure phase; negative during the warm-up. */
  atMs: measure,
  messages: z.int().min(0),
  messagesPerSecond: measure.min(0),
  late: z.int().min(0),
  latencyMs: z.strictObject(latencyMs).nullable(),
  /**
   * For a short run: values per tenth of a second, by the end of each tenth, sent with the frame for their
   * second.
   */
  buckets: z
    .array(z.strictObject({ atMs: measure, ...latencyMs }))
    .max(32)
    .optional(),
  cpuPercent: measure.nullable(),
  deviceCpuPercent: measure.nullable(),
  residentBytes: measure.nullable(),
  wireBytesPerSecond: measure.nullable(),
  /** For a load without messages: its main metrics by id, over the connections so far. */
  soFar: z.record(z.string(), measure).optional(),
});

export const agentFrameSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    protocol: z.int(),
    capabilities: agentCapabilitiesSchema,
    /** Results that are still on the device's disk. */
    pending: z.array(resultKey),
    setAside: setAsideListSchema.optional(),
  }),
  /** Another result was set aside; the message lists all set-aside results. */
  z.strictObject({ type: z.literal('set-aside'), results: setAsideListSchema }),
  /** null if it no longer exists. */
  z.strictObject({ type: z.literal('set-aside-result'), id: z.int(), text: z.string().nullable() }),
  filePartSchema,
  z.strictObject({
    type: z.literal('reply'),
    id: z.int(),
    runId,
    outcome: z.discriminatedUnion('ok', [
      z.strictObject({ ok: z.literal(true), data: z.unknown() }),
      z.strictObject({
        ok: z.literal(false),
        error: z.strictObject({ code: z.string(), message: z.string(), remedy: z.string() }),
      }),
    ]),
  }),
  /** Response to "trust"; false if this agent does not pin a CA. */
  z.strictObject({ type: z.literal('trusts'), id: z.int(), pinned: z.boolean() }),
  z.strictObject({
    type: z.literal('phase'),
    runId,
    role: z.enum(roles),
    phase: z.enum(phases),
    /** Time in µs; null while the phase is active. */
    durationUs: measure.nullable(),
  }),
  z.strictObject({ type: z.literal('progress'), runId, progress: progressSchema }),
  z.strictObject({ type: z.literal('log'), runId: runId.nullable(), line: logLineSchema }),
  /** Health of an idle device; only the newest report counts. */
  z.strictObject({ type: z.literal('health'), health: deviceHealthSchema }),
  /** A failure during the run, such as a crashed broker or worker; the server aborts the run. */
  z.strictObject({
    type: z.literal('trouble'),
    runId,
    role: z.enum(roles),
    error: z.strictObject({ code: z.string(), message: z.string(), remedy: z.string() }),
  }),
  z.strictObject({ type: z.literal('result'), key: resultKey, runId, result: roleResultSchema }),
  z.strictObject({
    type: z.literal('clock'),
    id: z.int(),
    t0Us: measure,
    /** Receive and send times on the device's monotonic clock. */
    t1Us: measure,
    t2Us: measure,
  }),
]);

export type LoadShare = z.infer<typeof loadShareSchema>;
export type PayloadKey = z.infer<typeof payloadKeySchema>;
export type AgentCommand = z.infer<typeof agentCommandSchema>;
export type PrepareBroker = z.infer<typeof prepareBroker>;
export type PrepareClient = z.infer<typeof prepareClient>;
export type PrepareBridge = z.infer<typeof prepareBridge>;
export type StartLoad = z.infer<typeof startLoad>;
export type ServerFrame = z.infer<typeof serverFrameSchema>;
export type AgentFrame = z.infer<typeof agentFrameSchema>;
export type BrokerReady = z.infer<typeof brokerReadySchema>;
export type Connected = z.infer<typeof connectedSchema>;
export type Drained = z.infer<typeof drainedSchema>;
export type Progress = z.infer<typeof progressSchema>;
