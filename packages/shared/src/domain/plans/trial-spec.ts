import * as z from 'zod';
import { impairmentSchema, noImpairment } from './impairment.ts';
import {
  abuseKinds,
  applicationProtocols,
  brokerHardenings,
  brokerKinds,
  certificateKinds,
  clientCertificates,
  clientEngines,
  connectionUses,
  loadLimits,
  mqttVersions,
  payloadEncodings,
  securityLevels,
  sessions,
  topologies,
  transports,
} from './trial-levels.ts';
import { workloadKinds, workloadSpecShape } from './workload.ts';

export * from './trial-levels.ts';

/**
 * Everything that a device needs to execute one trial: the resolved levels of a treatment and the workload.
 * Times are in ms, sizes in bytes, and rates in readings per second per publisher.
 */
export const trialSpecSchema = z.strictObject({
  security: z.enum(securityLevels),
  /** OpenSSL name; null for plain. */
  cipherSuite: z.string().nullable(),
  /** OpenSSL group name; null if the suite has no group. */
  group: z.string().nullable(),
  certificate: z.enum(certificateKinds).nullable(),
  /** Number of certificates that the broker sends: its own and the intermediates above it; null for plain. */
  chainLength: z.int().min(1).max(3).nullable().default(null),
  /** null when plain. */
  clientCertificate: z.enum(clientCertificates).nullable().default(null),
  /** null when plain. */
  session: z.enum(sessions).nullable().default(null),
  /** Id of a payload cipher; null if payloads are not encrypted. */
  payloadCipher: z.string().nullable().default(null),
  payloadEncoding: z.enum(payloadEncodings).default('binary'),
  /**
   * One bit in the payload of every n-th message is flipped after the publisher sends it; 0 if no message is
   * altered.
   */
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
  /** Readings per second and publisher; null for as fast as the window allows. */
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
  /** Levels, by factor id, that are only read in one place; see makeOptionFactor. */
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
