import * as z from 'zod';
import { measure } from '../domain/bounds.ts';
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

/** Version of the wire protocol between server and agent; both ends refuse another one. */
export const agentProtocolVersion = 2;

/** The agent dials this path with `Authorization: Bearer <token>`; frames are JSON text. */
export const agentSocketPath = '/api/v1/agent';

/** By these an agent enrols: its name in the question, its own token in the answer to the WebSocket handshake. */
export const enrolHeaders = { name: 'x-mqttlab-name', token: 'x-mqttlab-token' } as const;

const runId = z.int().min(1);

const brokerFiles = z.strictObject({
  /** PEM texts; the agent writes them with mode 0600 into its run folder and removes them afterwards. */
  certificateChain: z.string(),
  privateKey: z.string(),
  /** Whose certificates clients must show; null unless mutual TLS was asked for. */
  clientAuthority: z.string().nullable(),
});

const clientFiles = z.strictObject({ certificateChain: z.string(), privateKey: z.string() });

const credentials = z.strictObject({ username: z.string(), password: z.string() });

/**
 * Of this Run only: a secret that both clients share (base64), or one end's half of a key agreement (PEM); of a device
 * without an agent, which keeps its own half, the other end's.
 */
export const payloadKeySchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('secret'), secret: z.base64() }),
  z.strictObject({ kind: z.literal('agreement'), ownPrivateKey: z.string(), peerPublicKey: z.string() }),
  z.strictObject({ kind: z.literal('peer'), peerPublicKey: z.string() }),
]);

const brokerEndpoint = z.strictObject({ address: z.string(), port: z.int().min(1).max(65_535) });

/**
 * Part of one device where several play its role. `spec` counts what it carries itself; only a subscriber's `spec`
 * counts all publishers, for it hears them all.
 */
export const loadShareSchema = z.strictObject({
  /** Which of the devices in its role it is, from 0, and how many there are. */
  index: z.int().min(0),
  of: z.int().min(1),
  /** Number of its first publisher or subscriber among all of the Run. */
  first: z.int().min(0),
  /** Publishers of the Run on all devices. */
  publishers: z.int().min(1),
});

const prepareBroker = z.strictObject({
  kind: z.literal('prepare-broker'),
  role: z.enum(brokerRoles).default('broker'),
  spec: trialSpecSchema,
  /** null when plain, and for an external broker. */
  tls: brokerFiles.nullable(),
  external: externalBrokerSchema.nullable(),
  /** For a device without an agent: a port that it knows, and who may log in. absent: any free port, and anybody. */
  entrance: z
    .strictObject({ port: z.int().min(1).max(65_535), logins: z.array(credentials).min(1) })
    .optional(),
  /** What this device puts on the link before anybody connects; absent: nothing. */
  shaping: shapingOrderSchema.optional(),
  /** Id of the energy source to use; null: the best there is. */
  energySource: z.string().nullable(),
  clock: clockOffsetSchema,
});

const prepareClient = z.strictObject({
  kind: z.literal('prepare-client'),
  role: z.enum(sharedRoles),
  spec: trialSpecSchema,
  broker: brokerEndpoint,
  /** PEM of the testbed's authority; null when plain. */
  authority: z.string().nullable(),
  /** The name the certificate must carry. */
  serverName: z.string(),
  /** What the client shows under mutual TLS; null otherwise. */
  certificate: clientFiles.nullable(),
  credentials: credentials.nullable(),
  shaping: shapingOrderSchema.optional(),
  /** For the payload cipher; null without one. */
  payloadKey: payloadKeySchema.nullable(),
  /** Who plays its own role in the place of that device, which waits for it and talks to it; absent: nobody. */
  external: externalDeviceSchema.optional(),
  /** Id of the energy source to use; null: the best there is. */
  energySource: z.string().nullable(),
  /** A publisher also subscribes once and records round trips: its clock and the subscriber's are not the same. */
  mirror: z.boolean().default(false),
  /** Random 32-bit tag of this Run, first field of every stamp. */
  runTag: z.int().min(0).max(0xffffffff),
  clock: clockOffsetSchema,
  /** null: this device carries the whole load of its role. */
  share: loadShareSchema.nullable().default(null),
});

/** One leg of a bridge: where it leads and how it is protected. */
const bridgeLeg = z.strictObject({
  /** PEM of the authority of its brokers; null when plain. */
  authority: z.string().nullable(),
  serverName: z.string(),
  certificate: clientFiles.nullable(),
  credentials: credentials.nullable(),
  payloadKey: payloadKeySchema.nullable(),
});

const prepareBridge = z.strictObject({
  kind: z.literal('prepare-bridge'),
  /** As the publisher has it: the leg to the cloud follows from it. */
  spec: trialSpecSchema,
  local: bridgeLeg.extend({ broker: brokerEndpoint }),
  /** The first broker is used while it lives, then the next. */
  cloud: bridgeLeg.extend({ brokers: z.array(brokerEndpoint).min(1) }),
  energySource: z.string().nullable(),
  runTag: z.int().min(0).max(0xffffffff),
  clock: clockOffsetSchema,
});

/** Opens every connection (and subscribes); answers with what was negotiated. */
const connectClient = z.strictObject({ kind: z.literal('connect') });

/** Warm-up starts at the first instant, measuring at the second, sending ends at the third (testbed clock, µs). */
const startLoad = z.strictObject({
  kind: z.literal('start'),
  warmUpAtUs: measure,
  measureAtUs: measure,
  stopAtUs: measure,
});

/**
 * Publisher: wait for outstanding acknowledgements. Subscriber: wait until `expected` measured messages came,
 * or nothing came for a while, or drainTimeoutMs is over. Broker: end of the measure phase.
 */
const drain = z.strictObject({ kind: z.literal('drain'), expected: z.int().min(0).nullable() });

/** Ends everything of this Run, leaves the device as it was found, then sends the result. */
const teardown = z.strictObject({ kind: z.literal('teardown') });

/** As teardown, at once and at any time; the result carries what there is. */
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
  /** The result is stored; the agent may forget it. */
  z.strictObject({ type: z.literal('ack'), key: resultKey }),
  /** The result will never be stored: the agent sets it aside with the reason and does not send it again. */
  z.strictObject({ type: z.literal('refuse-result'), key: resultKey, reason: z.string().max(1000) }),
  /** The result could not be stored when it came: the agent sends it again, if it still has it. */
  z.strictObject({ type: z.literal('deliver'), key: resultKey }),
  /** Asks for a result that was set aside. */
  z.strictObject({ type: z.literal('fetch-set-aside'), id: z.int(), name: setAsideNameSchema }),
  fetchFileSchema,
  /** Certificates (PEM) of the server's own authority, two while it is being replaced: the agent pins these. */
  z.strictObject({
    type: z.literal('trust'),
    id: z.int(),
    authorities: z.array(z.string().max(10_000)).min(1).max(4),
  }),
  /** First of the four timestamps (RFC 5905 section 8): t0 is the server's monotonic clock. */
  z.strictObject({ type: z.literal('clock'), id: z.int(), t0Us: measure }),
]);

/** What each command answers with. */
export const brokerReadySchema = z.strictObject({
  address: z.string(),
  port: z.int(),
  kind: z.string(),
  version: z.string(),
  /** null: an external broker whose process is not known. */
  pid: z.int().nullable(),
});
export const connectedSchema = z.strictObject({ negotiated: negotiatedSchema });
export const drainedSchema = z.strictObject({
  /** Measured messages: sent for a publisher, received for a subscriber. */
  messages: z.int().min(0),
  timedOut: z.boolean(),
});

const latencyMs = { p5: measure, p50: measure, p95: measure };

/** One small frame a second while load runs; never stored, only shown. */
export const progressSchema = z.strictObject({
  role: z.enum(roles),
  /** Which one it is, filled in by the server: several may play one role. */
  deviceId: z.string().optional(),
  /** Since the start of the measure phase; negative during warm-up. */
  atMs: measure,
  messages: z.int().min(0),
  messagesPerSecond: measure.min(0),
  late: z.int().min(0),
  latencyMs: z.strictObject(latencyMs).nullable(),
  /** The same of a short run by the tenth of a second, each by its end; they come with the frame of their second. */
  buckets: z
    .array(z.strictObject({ atMs: measure, ...latencyMs }))
    .max(32)
    .optional(),
  cpuPercent: measure.nullable(),
  deviceCpuPercent: measure.nullable(),
  residentBytes: measure.nullable(),
  wireBytesPerSecond: measure.nullable(),
  /** Of a load without messages: metrics that answer its question, by id, over the connections so far. */
  soFar: z.record(z.string(), measure).optional(),
});

export const agentFrameSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    protocol: z.int(),
    capabilities: agentCapabilitiesSchema,
    /** Results still waiting on the device's disk. */
    pending: z.array(resultKey),
    setAside: setAsideListSchema.optional(),
  }),
  /** Another result was set aside: all that there are. */
  z.strictObject({ type: z.literal('set-aside'), results: setAsideListSchema }),
  /** null where it is gone. */
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
  /** Answers "trust"; false if this agent does not pin an authority of its server. */
  z.strictObject({ type: z.literal('trusts'), id: z.int(), pinned: z.boolean() }),
  z.strictObject({
    type: z.literal('phase'),
    runId,
    role: z.enum(roles),
    phase: z.enum(phases),
    /** µs; null while the phase runs. */
    durationUs: measure.nullable(),
  }),
  z.strictObject({ type: z.literal('progress'), runId, progress: progressSchema }),
  z.strictObject({ type: z.literal('log'), runId: runId.nullable(), line: logLineSchema }),
  /** How the device is while no Run goes on; the newest counts. */
  z.strictObject({ type: z.literal('health'), health: deviceHealthSchema }),
  /** Something broke in mid-run (broker died, worker died): the server aborts the Run. */
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
    /** Received and sent, on the device's monotonic clock. */
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
