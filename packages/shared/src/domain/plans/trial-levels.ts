/**
 * Levels that a specification can contain, and sizes derived from them. Every load process imports this
 * module when it starts, so it does not use schemas.
 */

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
/** Whether clients also present a certificate (RFC 8446 section 4.3.2). */
export const clientCertificates = ['none', 'mutual TLS'] as const;
/**
 * Resumed: with a session ticket; in TLS 1.3 with a new (EC)DHE exchange (psk_dhe_ke, RFC 8446 section 2.2).
 */
export const sessions = ['full', 'resumed'] as const;
export const payloadEncodings = ['binary', 'base64 in JSON'] as const;
export const transports = ['tcp', 'websocket'] as const;
/** Whether a publisher keeps its connection open or opens a new connection for each message. */
export const connectionUses = ['kept', 'one per message'] as const;
/** Clients on a device with an agent: the native engine, or other clients as measured processes. */
export const agentClients = ['native', 'mosquitto clients', 'mqtt.js', 'paho-mqtt'] as const;
/**
 * All clients, including a device that cannot run the agent; in that case, the other clients in its testbed
 * are native.
 */
export const clientEngines = [...agentClients, 'external device'] as const;
/** Application protocols; with CoAP, publishers send requests to a CoAP server in place of the broker. */
export const applicationProtocols = ['mqtt', 'coap confirmable', 'coap non-confirmable'] as const;
/**
 * Attacks by the publisher's device on the broker in the workload availability. Either connections request a
 * long keep-alive and stay silent (SlowITe), or sessions never expire and each contain queued messages.
 */
export const abuseKinds = ['none', 'slow keep-alive', 'persistent sessions'] as const;
/**
 * How the broker is configured in the workload availability. The values are stored; "as published" is
 * Mosquitto with its default configuration.
 */
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

/** Upper limits for abuse, regardless of the plan: planning, server and agent all refuse more. */
export const abuseLimits = {
  connections: 2000,
  messages: 200,
  memoryBytes: 512 * 1024 * 1024,
  measureMs: 120_000,
} as const;

/** Length of the stamp in bytes; a payload must contain it for latency to be measured. */
export const stampBytes = 20;
/** Length of the text stamp in bytes, for clients with line-based input: base64 (RFC 4648 section 4). */
export const textStampBytes = Math.ceil(stampBytes / 3) * 4;

/** Returns the payload bytes of one MQTT message. */
export function payloadBytesOf(spec: { readingBytes: number; readingsPerMessage: number }): number {
  return spec.readingBytes * spec.readingsPerMessage;
}

/** True if messages are sent over CoAP, which only connects each publisher to the server. */
export function isCoap(spec: { applicationProtocol: ApplicationProtocol }): boolean {
  return spec.applicationProtocol !== 'mqtt';
}

/** Returns the number of subscribers that receive each message. */
export function deliveriesOf(spec: {
  subscribers: number;
  sharedSubscription: boolean;
  applicationProtocol: ApplicationProtocol;
}): number {
  if (isCoap(spec)) return 0;
  return spec.sharedSubscription ? 1 : spec.subscribers;
}
