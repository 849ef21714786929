import * as z from 'zod';
import { roles } from './device.ts';
import { certificateKinds, mqttVersions } from './trial-spec.ts';

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
  kind: z.enum(['mosquitto', 'embedded']),
  version: z.string(),
  mqttVersions: z.array(z.enum(mqttVersions)),
  /** Largest MQTT packet it takes, bytes. */
  maximumPacketBytes: z.int(),
  tls: tlsCapabilitySchema,
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
  memoryBytes: z.number(),
  diskFreeBytes: z.number().nullable(),
  nodeVersion: z.string(),
  interfaces: z.array(networkInterfaceSchema),
  /** The client side of TLS. */
  tls: tlsCapabilitySchema,
  /** Empty on devices that cannot play the broker. The first one is used. */
  brokers: z.array(brokerCapabilitySchema),
});

/** A Testbed as planning sees it: its devices, their roles and what each announced. */
export const testbedCapabilitiesSchema = z.strictObject({
  testbedId: z.string(),
  name: z.string(),
  devices: z.array(
    z.strictObject({
      deviceId: z.string(),
      name: z.string(),
      role: z.enum(roles),
      online: z.boolean(),
      /** null until the agent has connected once. */
      capabilities: agentCapabilitiesSchema.nullable(),
    }),
  ),
});

export type NetworkInterface = z.infer<typeof networkInterfaceSchema>;
export type TlsCapability = z.infer<typeof tlsCapabilitySchema>;
export type BrokerCapability = z.infer<typeof brokerCapabilitySchema>;
export type AgentCapabilities = z.infer<typeof agentCapabilitiesSchema>;
export type TestbedCapabilities = z.infer<typeof testbedCapabilitiesSchema>;
