import * as z from 'zod';
import { impairmentSchema, noImpairment } from './impairment.ts';
import { workloadKinds, workloadSpecShape } from './workload.ts';

export const securityLevels = ['plain', 'TLS 1.2', 'TLS 1.3'] as const;
export const mqttVersions = ['3.1', '3.1.1', '5.0'] as const;
export const certificateKinds = [
  'ECDSA P-256',
  'ECDSA P-384',
  'Ed25519',
  'RSA 2048',
  'RSA 3072',
  'RSA 4096',
] as const;
/** Whether clients present a certificate too (RFC 8446 section 4.3.2). */
export const clientCertificates = ['none', 'mutual TLS'] as const;
/** Resumed: with a session ticket; in TLS 1.3 with a fresh (EC)DHE (psk_dhe_ke, RFC 8446 section 2.2). */
export const sessions = ['full', 'resumed'] as const;
export const payloadEncodings = ['binary', 'base64 in JSON'] as const;
export const transports = ['tcp', 'websocket'] as const;
/** Whether a publisher keeps its connection or opens a new one for each message. */
export const connectionUses = ['kept', 'one per message'] as const;
/** Clients on a device with an agent: the native engine, or other clients as measured processes. */
export const agentClients = ['native', 'mosquitto clients', 'mqtt.js', 'paho-mqtt'] as const;
/** All clients, including a device that cannot run the agent; the other clients of its testbed are then native. */
export const clientEngines = [...agentClients, 'external device'] as const;
/** Application protocols; publishers send CoAP requests to a CoAP server in place of the broker. */
export const applicationProtocols = ['mqtt', 'coap confirmable', 'coap non-confirmable'] as const;
/**
 * Attacks of the publisher's device on the broker in the workload availability: connections that announce a long
 * keep-alive and stay silent (SlowITe), or sessions that never expire, each with queued messages.
 */
export const abuseKinds = ['none', 'slow keep-alive', 'persistent sessions'] as const;
/** How the broker is configured in the workload availability: stored words, "as published" is Mosquitto with its default configuration. */
export const brokerHardenings = ['as published', 'hardened'] as const;
export const brokerKinds = ['mosquitto', 'embedded', 'external'] as const;
/** re-encrypting bridge: publisher, broker, bridge, TLS 1.3, cloud broker, subscriber. */
export const topologies = ['direct', 're-encrypting bridge'] as const;

export type Security = (typeof securityLevels)[number];
export type MqttVersion = (typeof mqttVersions)[number];
export type CertificateKind = (typeof certificateKinds)[number];
export type ClientCertificate = (typeof clientCertificates)[number];
export type TlsSession = (typeof sessions)[number];
export type PayloadEncodingName = (typeof payloadEncodings)[number];
export type MqttTransport = (typeof transports)[number];
export type ConnectionUse = (typeof connectionUses)[number];
export type AgentClient = (typeof agentClients)[number];
export type ClientEngine = (typeof clientEngines)[number];
export type BrokerKind = (typeof brokerKinds)[number];
export type Topology = (typeof topologies)[number];
export type ApplicationProtocol = (typeof applicationProtocols)[number];
export type AbuseKind = (typeof abuseKinds)[number];
export type BrokerHardening = (typeof brokerHardenings)[number];

/** Limits of a run, and of each device that shares its load. */
export const loadLimits = { publishers: 10_000, publishersOfDevice: 500 } as const;

/** Bytes of the stamp, which a payload must contain to measure latency. */
export const stampBytes = 20;
/** Bytes of the stamp as text, for clients with line-based input: base64 (RFC 4648 section 4). */
export const textStampBytes = Math.ceil(stampBytes / 3) * 4;

/**
 * Everything a device must know to execute one trial: the resolved levels of a treatment and the workload.
 * Times in ms, sizes in bytes, rates in readings per second per publisher.
 */
export const trialSpecSchema = z.strictObject({
  security: z.enum(securityLevels),
  /** OpenSSL name; null when plain. */
  cipherSuite: z.string().nullable(),
  /** OpenSSL group name; null if the suite has no group. */
  group: z.string().nullable(),
  certificate: z.enum(certificateKinds).nullable(),
  /** Certificates that the broker sends: its own and the intermediates above it; null when plain. */
  chainLength: z.int().min(1).max(3).nullable().default(null),
  /** null when plain. */
  clientCertificate: z.enum(clientCertificates).nullable().default(null),
  /** null when plain. */
  session: z.enum(sessions).nullable().default(null),
  /** Id of a payload cipher; null: payloads are not encrypted. */
  payloadCipher: z.string().nullable().default(null),
  payloadEncoding: z.enum(payloadEncodings).default('binary'),
  /** One bit of the payload of every n-th message is flipped after the publisher; 0: never. */
  alterEvery: z.int().min(0).max(1_000_000).default(0),
  topology: z.enum(topologies).default('direct'),
  broker: z.enum(brokerKinds).default('mosquitto'),
  client: z.enum(clientEngines).default('native'),
  transport: z.enum(transports).default('tcp'),
  connectionUse: z.enum(connectionUses).default('kept'),
  applicationProtocol: z.enum(applicationProtocols).default('mqtt'),
  abuse: z.enum(abuseKinds).default('none'),
  brokerHardening: z.enum(brokerHardenings).default('as published'),
  mqttVersion: z.enum(mqttVersions),
  qos: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  readingBytes: z.int().min(1).max(1_048_576),
  readingsPerMessage: z.int().min(1).max(65_536),
  /** Readings per second of each publisher; null: as fast as the window allows. */
  readingsPerSecond: z.number().positive().max(10_000_000).nullable(),
  publishers: z.int().min(1).max(loadLimits.publishers),
  subscribers: z.int().min(1).max(500),
  /** True if all subscribers share one subscription (MQTT 5 section 4.8.2): each message is sent to one of them. */
  sharedSubscription: z.boolean().default(false),
  /** Name of the link, for example "loopback" or "eth0". */
  link: z.string().min(1).max(64),
  impairment: impairmentSchema.default(noImpairment),
  topic: z.string().min(1).max(200),
  workload: z.enum(workloadKinds).default('stream'),
  ...workloadSpecShape,
  sampleHz: z.union([z.literal(1), z.literal(10)]),
  /** Levels by factor id that only one place reads: see makeOptionFactor. */
  options: z.record(z.string().max(40), z.union([z.string().max(200), z.number()])).default({}),
});

export type TrialSpec = z.infer<typeof trialSpecSchema>;

/** Specification before any factor has written its level into it. */
export const neutralSpec: TrialSpec = trialSpecSchema.parse({
  security: 'plain',
  cipherSuite: null,
  group: null,
  certificate: null,
  mqttVersion: '5.0',
  qos: 0,
  readingBytes: 100,
  readingsPerMessage: 1,
  readingsPerSecond: 100,
  window: 1000,
  publishers: 1,
  subscribers: 1,
  link: 'lo',
  topic: 'mqttlab/readings',
  warmUpMs: 1000,
  measureMs: 10_000,
  drainTimeoutMs: 5000,
  sampleHz: 1,
} satisfies z.input<typeof trialSpecSchema>);

/** Payload bytes of one MQTT message. */
export function payloadBytesOf(spec: Pick<TrialSpec, 'readingBytes' | 'readingsPerMessage'>): number {
  return spec.readingBytes * spec.readingsPerMessage;
}

/** True if messages are sent by CoAP: from each publisher to the server only. */
export function isCoap(spec: Pick<TrialSpec, 'applicationProtocol'>): boolean {
  return spec.applicationProtocol !== 'mqtt';
}

/** Number of subscribers that receive each message. */
export function deliveriesOf(
  spec: Pick<TrialSpec, 'subscribers' | 'sharedSubscription' | 'applicationProtocol'>,
): number {
  if (isCoap(spec)) return 0;
  return spec.sharedSubscription ? 1 : spec.subscribers;
}
