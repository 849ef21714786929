import * as z from 'zod';

export const securityLevels = ['plain', 'TLS 1.2', 'TLS 1.3'] as const;
export const mqttVersions = ['3.1', '3.1.1', '5.0'] as const;
export const certificateKinds = ['ECDSA P-256', 'RSA 2048'] as const;

export type Security = (typeof securityLevels)[number];
export type MqttVersion = (typeof mqttVersions)[number];
export type CertificateKind = (typeof certificateKinds)[number];

/** Bytes of the stamp that a payload must hold for latency to be measured. */
export const stampBytes = 20;

/**
 * Everything a device must know to carry out one Trial: the levels of a Treatment and the workload, resolved.
 * Times in ms, sizes in bytes, rates in readings per second for each publisher.
 */
export const trialSpecSchema = z.strictObject({
  security: z.enum(securityLevels),
  /** OpenSSL name; null when plain. */
  cipherSuite: z.string().nullable(),
  /** OpenSSL group name; null where the suite has no group to choose. */
  group: z.string().nullable(),
  certificate: z.enum(certificateKinds).nullable(),
  mqttVersion: z.enum(mqttVersions),
  qos: z.union([z.literal(0), z.literal(1), z.literal(2)]),
  readingBytes: z.int().min(1).max(1_048_576),
  readingsPerMessage: z.int().min(1).max(65_536),
  /** Readings per second of each publisher; null: as fast as the window allows. */
  readingsPerSecond: z.number().positive().max(10_000_000).nullable(),
  /** Most messages in flight for each publisher (QoS 1 and 2). */
  window: z.int().min(1).max(65_535),
  publishers: z.int().min(1).max(500),
  subscribers: z.int().min(1).max(500),
  /** Name of the link, for example "loopback" or "eth0". */
  link: z.string().min(1).max(64),
  topic: z.string().min(1).max(200),
  warmUpMs: z.int().min(0).max(3_600_000),
  measureMs: z.int().min(100).max(86_400_000),
  drainTimeoutMs: z.int().min(100).max(600_000),
  sampleHz: z.union([z.literal(1), z.literal(10)]),
});

export type TrialSpec = z.infer<typeof trialSpecSchema>;

/** Payload bytes of one MQTT message. */
export function payloadBytesOf(spec: Pick<TrialSpec, 'readingBytes' | 'readingsPerMessage'>): number {
  return spec.readingBytes * spec.readingsPerMessage;
}
