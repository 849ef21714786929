import * as z from 'zod';
import { measure } from '../bounds.ts';
import { shapingCapabilitySchema } from '../plans/impairment.ts';
import {
  agentClients,
  applicationProtocols,
  brokerKinds,
  certificateKinds,
  mqttVersions,
  transports,
} from '../plans/trial-levels.ts';
import { brokerPortsSchema } from './broker-ports.ts';
import { roles } from './device.ts';
import { externalBrokerSchema } from './external-broker.ts';
import { externalDeviceSchema } from './external-device.ts';

export const interfaceKinds = ['loopback', 'ethernet', 'wifi', 'cellular', 'virtual', 'other'] as const;

export const networkInterfaceSchema = z.strictObject({
  name: z.string(),
  kind: z.enum(interfaceKinds),
  address: z.string(),
  up: z.boolean(),
});

/** Capabilities of a TLS library on a device, by OpenSSL names. */
export const tlsCapabilitySchema = z.strictObject({
  library: z.string(),
  suites: z.array(z.string()),
  groups: z.array(z.string()),
  certificates: z.array(z.enum(certificateKinds)),
});

export const brokerCapabilitySchema = z.strictObject({
  kind: z.enum(brokerKinds),
  version: z.string(),
  mqttVersions: z.array(z.enum(mqttVersions)),
  /** Maximum MQTT packet size in bytes. */
  maximumPacketBytes: z.int(),
  tls: tlsCapabilitySchema,
  transports: z.array(z.enum(transports)).default(['tcp']),
  sharedSubscriptions: z.boolean().default(false),
  /** Whether the broker can be configured to request client certificates. */
  clientCertificates: z.boolean().default(false),
  /**
   * Whether the finite-field group for a DHE suite can be configured; otherwise it matches the size of the
   * broker's RSA key.
   */
  choosesFiniteField: z.boolean().default(true),
  /** TLS versions in which the broker resumes sessions. */
  resumes: z.array(z.enum(['TLS 1.2', 'TLS 1.3'])).default([]),
});

/** Reliability of energy data; values of different quality are never compared. */
export const energyQualities = ['measured', 'on-board', 'modelled'] as const;

export const energyCapabilitySchema = z.strictObject({
  /** Id of an energy source, see packages/agent/src/instruments/energy. */
  id: z.string(),
  label: z.string(),
  quality: z.enum(energyQualities),
  /** The detected sensor. */
  detail: z.string(),
});

/** How the device's wall clock is synchronised, and its accuracy (chronyc(1), adjtimex(2)). */
export const timeServiceSchema = z.strictObject({
  service: z.string(),
  synchronised: z.boolean().nullable(),
  /** In ms; null if unknown. */
  estimatedErrorMs: measure.nullable(),
});

/** Device information that an agent announces when it connects. */
export const agentCapabilitiesSchema = z.strictObject({
  agentVersion: z.string(),
  hostname: z.string(),
  /** /proc/sys/kernel/random/boot_id; devices with the same id share one monotonic clock. */
  bootId: z.string(),
  os: z.string(),
  kernel: z.string(),
  architecture: z.string(),
  cpuModel: z.string(),
  cpuCores: z.int(),
  /** CPU features that affect results: aes, pclmulqdq, pmull, avx2, neon, sha2. */
  cpuFeatures: z.array(z.string()),
  memoryBytes: measure,
  diskFreeBytes: measure.nullable(),
  nodeVersion: z.string(),
  interfaces: z.array(networkInterfaceSchema),
  /** TLS capabilities of the clients. */
  tls: tlsCapabilitySchema,
  /** Brokers on the device; empty if it cannot run a broker. The first one is the default. */
  brokers: z.array(brokerCapabilitySchema),
  /** Client engines with their versions. */
  clients: z
    .array(
      z.strictObject({
        engine: z.enum(agentClients),
        version: z.string(),
        /** The client's own TLS library, if it differs from `tls`. */
        tls: tlsCapabilitySchema.nullable().default(null),
      }),
    )
    .default([{ engine: 'native', version: '', tls: null }]),
  /** Other supported application protocols, as a client and in place of the broker. */
  applicationProtocols: z.array(z.enum(applicationProtocols)).default(['mqtt']),
  /** Ids of payload ciphers. */
  payloadCiphers: z.array(z.string()).default([]),
  /** Detected energy sources, the best one first. */
  energy: z.array(energyCapabilitySchema).default([]),
  /** Id of the configured source, even if it does not respond; null if the first source is used. */
  energyChoice: z.string().nullable().default(null),
  /** Why hardware counters (perf_event_open(2)) are unavailable; null if they work. */
  perfRefusal: z.string().nullable().default('not probed'),
  /** Why packets cannot be captured with tcpdump or dumpcap; null if they can. */
  captureRefusal: z.string().nullable().default('its agent does not report it'),
  timeService: timeServiceSchema.nullable().default(null),
  /** How this device reports throttling; null if it does not. */
  throttlingSource: z.string().nullable().default(null),
  /** Traffic-shaping capabilities for impairment; null if the agent does not support shaping. */
  shaping: shapingCapabilitySchema.nullable().default(null),
});

/** A named path between the devices of a testbed, with the interface that each device uses. */
export const testbedLinkSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,31}$/, 'must consist of 1 to 32 letters, digits, dots or hyphens'),
  /**
   * Interface by device, or by pool for all of its devices; kernel interface names have at most 15 characters
   * (IFNAMSIZ).
   */
  interfaces: z.record(
    z.string().max(40),
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/, 'is not the name of an interface'),
  ),
});

/** Name of a pool of enrolled agents. */
export const poolNameSchema = z
  .string()
  .regex(/^[a-z0-9](-?[a-z0-9])*$/, 'must be lower-case letters and digits, with hyphens between them')
  .max(40);

/** Assigns a role to all devices of a pool. */
export const testbedPoolSchema = z.strictObject({ pool: poolNameSchema, role: z.enum(roles) });

/** A testbed as input for planning: its devices, their roles and capabilities. */
export const testbedCapabilitiesSchema = z.strictObject({
  testbedId: z.string(),
  name: z.string(),
  /** The "external" level of the broker factor; null if not configured. */
  externalBroker: externalBrokerSchema.nullable().default(null),
  /** The "external device" level of the client factor; null if not configured. */
  externalDevice: externalDeviceSchema.nullable().default(null),
  /** If omitted, every interface of the broker's device is a link with the same name. */
  links: z.array(testbedLinkSchema).optional(),
  pools: z.array(testbedPoolSchema).optional(),
  /** Ports for the brokers of the testbed's runs; any free port if omitted. */
  brokerPorts: brokerPortsSchema.optional(),
  devices: z.array(
    z.strictObject({
      deviceId: z.string(),
      name: z.string(),
      role: z.enum(roles),
      /** Pool in which the device enrolled. */
      pool: poolNameSchema.optional(),
      /** Also true on standby: the agent is started when a run needs it for the first time. */
      online: z.boolean(),
      standby: z.boolean().optional(),
      /** null until the agent connects for the first time. */
      capabilities: agentCapabilitiesSchema.nullable(),
    }),
  ),
});

export type InterfaceKind = (typeof interfaceKinds)[number];
export type NetworkInterface = z.infer<typeof networkInterfaceSchema>;
export type TlsCapability = z.infer<typeof tlsCapabilitySchema>;
export type EnergyQuality = (typeof energyQualities)[number];
export type EnergyCapability = z.infer<typeof energyCapabilitySchema>;
export type TimeService = z.infer<typeof timeServiceSchema>;
export type BrokerCapability = z.infer<typeof brokerCapabilitySchema>;
export type AgentCapabilities = z.infer<typeof agentCapabilitiesSchema>;
export type TestbedLink = z.infer<typeof testbedLinkSchema>;
export type TestbedPool = z.infer<typeof testbedPoolSchema>;
export type TestbedCapabilities = z.infer<typeof testbedCapabilitiesSchema>;
