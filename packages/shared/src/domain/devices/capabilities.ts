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
} from '../plans/trial-spec.ts';
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

/** What one TLS library on a device offers, by OpenSSL names. */
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
  /** Largest MQTT packet it takes, bytes. */
  maximumPacketBytes: z.int(),
  tls: tlsCapabilitySchema,
  transports: z.array(z.enum(transports)).default(['tcp']),
  sharedSubscriptions: z.boolean().default(false),
  /** Whether it can be told to ask clients for a certificate. */
  clientCertificates: z.boolean().default(false),
  /** Whether the finite field of a DHE suite can be set; else it follows the size of the broker's RSA key. */
  choosesFiniteField: z.boolean().default(true),
  /** Security versions in which it resumes sessions. */
  resumes: z.array(z.enum(['TLS 1.2', 'TLS 1.3'])).default([]),
});

/** How far a figure of energy may be trusted; figures of different quality never meet in one comparison. */
export const energyQualities = ['measured', 'on-board', 'modelled'] as const;

export const energyCapabilitySchema = z.strictObject({
  /** Id of an energy source, see packages/agent/src/instruments/energy. */
  id: z.string(),
  label: z.string(),
  quality: z.enum(energyQualities),
  /** Which sensor was found. */
  detail: z.string(),
});

/** What keeps the wall clock of the device right, and how well (chronyc(1), adjtimex(2)). */
export const timeServiceSchema = z.strictObject({
  service: z.string(),
  synchronised: z.boolean().nullable(),
  /** ms; null where nothing tells. */
  estimatedErrorMs: measure.nullable(),
});

/** What an Agent announces about its device when it connects. */
export const agentCapabilitiesSchema = z.strictObject({
  agentVersion: z.string(),
  hostname: z.string(),
  /** /proc/sys/kernel/random/boot_id: devices that share it share one monotonic clock. */
  bootId: z.string(),
  os: z.string(),
  kernel: z.string(),
  architecture: z.string(),
  cpuModel: z.string(),
  cpuCores: z.int(),
  /** Of those that matter to the result: aes, pclmulqdq, pmull, avx2, neon, sha2. */
  cpuFeatures: z.array(z.string()),
  memoryBytes: measure,
  diskFreeBytes: measure.nullable(),
  nodeVersion: z.string(),
  interfaces: z.array(networkInterfaceSchema),
  /** The client side of TLS. */
  tls: tlsCapabilitySchema,
  /** Empty on devices that cannot play the broker. The first one is used. */
  brokers: z.array(brokerCapabilitySchema),
  /** Engines that can drive the load, with their versions. */
  clients: z
    .array(
      z.strictObject({
        engine: z.enum(agentClients),
        version: z.string(),
        /** Its own TLS library, where it is another one than `tls`. */
        tls: tlsCapabilitySchema.nullable().default(null),
      }),
    )
    .default([{ engine: 'native', version: '', tls: null }]),
  /** What it can carry besides, as client and in the place of the broker. */
  applicationProtocols: z.array(z.enum(applicationProtocols)).default(['mqtt']),
  /** Ids of payload ciphers. */
  payloadCiphers: z.array(z.string()).default([]),
  /** Sources found, the best first. */
  energy: z.array(energyCapabilitySchema).default([]),
  /** Id of the source that was chosen for it, whether it answers or not; null: the first of them is used. */
  energyChoice: z.string().nullable().default(null),
  /** Hardware counters by perf_event_open(2): null when they work, else why not. */
  perfRefusal: z.string().nullable().default('not probed'),
  /** Of packets, by tcpdump or dumpcap: null where it works, else why not. */
  captureRefusal: z.string().nullable().default('its agent does not say'),
  timeService: timeServiceSchema.nullable().default(null),
  /** Where this device tells that it slows itself down; null where nothing does. */
  throttlingSource: z.string().nullable().default(null),
  /** Of links, for impairment; null: an agent that does not try. */
  shaping: shapingCapabilitySchema.nullable().default(null),
});

/** A named path between the devices of a Testbed: the interface that each of them uses for it. */
export const testbedLinkSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,31}$/, 'needs 1 to 32 letters, digits, dots, hyphens'),
  /** By device, or by pool for all of its devices; as the kernel calls it, at most 15 characters (IFNAMSIZ). */
  interfaces: z.record(
    z.string().max(40),
    z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/, 'is not the name of an interface'),
  ),
});

/** Name of a group of agents that enrolled themselves. */
export const poolNameSchema = z
  .string()
  .regex(/^[a-z0-9](-?[a-z0-9])*$/, 'needs small letters, digits and hyphens between')
  .max(40);

/** Whoever is in this pool plays this role. */
export const testbedPoolSchema = z.strictObject({ pool: poolNameSchema, role: z.enum(roles) });

/** A Testbed as planning sees it: its devices, their roles and what each announced. */
export const testbedCapabilitiesSchema = z.strictObject({
  testbedId: z.string(),
  name: z.string(),
  /** The level "external" of the factor broker; null where none was set up. */
  externalBroker: externalBrokerSchema.nullable().default(null),
  /** The level "external device" of the factor client; null where none was set up. */
  externalDevice: externalDeviceSchema.nullable().default(null),
  /** Left out: every interface of the broker's device is a link of its own name. */
  links: z.array(testbedLinkSchema).optional(),
  pools: z.array(testbedPoolSchema).optional(),
  devices: z.array(
    z.strictObject({
      deviceId: z.string(),
      name: z.string(),
      role: z.enum(roles),
      /** The one it enrolled in. */
      pool: poolNameSchema.optional(),
      /** Also one on standby, whose agent is started when a Run first needs it. */
      online: z.boolean(),
      standby: z.boolean().optional(),
      /** null until the agent has connected once. */
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
