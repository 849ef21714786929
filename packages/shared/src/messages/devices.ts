import * as z from 'zod';
import { within } from '../domain/bounds.ts';
import { brokerPortsSchema } from '../domain/devices/broker-ports.ts';
import {
  agentCapabilitiesSchema,
  poolNameSchema,
  testbedLinkSchema,
  testbedPoolSchema,
} from '../domain/devices/capabilities.ts';
import { neededRoles, type Role, roles, sharedRoles } from '../domain/devices/device.ts';
import { deviceStates, healthReadingSchema } from '../domain/devices/device-health.ts';
import { setAsideListSchema } from './set-aside.ts';

/** SSH address of a device; characters with a special meaning in a shell are refused. */
export const hostSchema = z
  .string()
  .trim()
  .max(253)
  .refine((text) => hostname.test(text) || z.ipv4().safeParse(text).success || isIpv6(text), {
    error: 'is not a host name or address',
  });
const hostname =
  /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

function isIpv6(text: string): boolean {
  return z.ipv6().safeParse(text.split('%')[0]).success && /^[0-9A-Fa-f:.]+(%[A-Za-z0-9]{1,15})?$/.test(text);
}

export const portSchema = z.int().min(1).max(65_535).default(22);
/** User name as accepted by useradd (NAME_REGEX of Debian's adduser). */
export const userSchema = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'is not a Linux user name');
export const fingerprintSchema = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'is not a fingerprint, for example SHA256:…');
/** Can contain any characters except line breaks, because it is sent to sudo as one line. */
export const passwordSchema = z
  .string()
  .min(1)
  .max(1000)
  .regex(/^[^\r\n\0]*$/, 'contains a line break');

export const deviceIdSchema = z
  .string()
  .regex(/^[a-z0-9](-?[a-z0-9])*$/, 'is not a device')
  .max(40);
export const deviceNameSchema = z
  .string()
  .trim()
  .regex(
    /^[A-Za-z0-9]([A-Za-z0-9 ._-]{0,38}[A-Za-z0-9])?$/,
    'must consist of 1 to 40 letters, digits, spaces, dots or hyphens',
  );

export const hostKeyRequestSchema = z.strictObject({ host: hostSchema, port: portSchema });

export const hostKeyAnswerSchema = z.strictObject({
  /** For example ssh-ed25519. */
  algorithm: z.string(),
  fingerprint: z.string(),
  /** Public key of this server, to add to authorized_keys manually. */
  serverKey: z.string(),
  /** Devices added earlier under this address with a different key. */
  changedFor: z.array(z.string()),
});

export const deviceLoginSchema = z.discriminatedUnion('kind', [
  /** Used once to install the server's key on the device, and neither stored nor logged. */
  z.strictObject({ kind: z.literal('password'), password: passwordSchema }),
  /** Also used only once. */
  z.strictObject({
    kind: z.literal('key'),
    privateKey: z.string().min(1).max(20_000),
    passphrase: z.string().max(1000).optional(),
    sudoPassword: passwordSchema.optional(),
  }),
  /** The server's key is already installed. */
  z.strictObject({ kind: z.literal('server-key'), sudoPassword: passwordSchema.optional() }),
]);

export const addDeviceSchema = z.strictObject({
  name: deviceNameSchema,
  host: hostSchema,
  port: portSchema,
  user: userSchema,
  login: deviceLoginSchema,
  /** The confirmed host key; the operation stops if the device has a different key. */
  fingerprint: fingerprintSchema,
});

/** Required for every change to the device if sudo needs a password. */
export const changeDeviceSchema = z.strictObject({ sudoPassword: passwordSchema.optional() });
export const removeDeviceSchema = changeDeviceSchema.extend({
  /** Removes the device from the list even if it is unreachable. */
  forget: z.boolean().default(false),
});
export const drainDeviceSchema = z.strictObject({ draining: z.boolean() });
/** The newly confirmed host key after the device was reinstalled. */
export const repinDeviceSchema = z.strictObject({ fingerprint: fingerprintSchema });

export const installStepIds = [
  'host-key',
  'login',
  'probe',
  'privileges',
  'stop',
  'account',
  'runtime',
  'agent',
  'service',
  'connection',
  'files',
  'forget',
] as const;

const deviceFailureSchema = z.strictObject({
  code: z.string(),
  message: z.string(),
  remedy: z.string(),
  /** The request field that caused the failure; null if no field did. */
  field: z.string().nullable(),
});

const installStepSchema = z.strictObject({
  id: z.enum(installStepIds),
  label: z.string(),
  status: z.enum(['waiting', 'running', 'done', 'failed']),
  /** Outcome of the step. */
  detail: z.string(),
  durationMs: z.number().nullable(),
});

/** An operation on a device, step by step; safe to repeat at any time. */
export const installationSchema = z.strictObject({
  deviceId: z.string(),
  kind: z.enum(['install', 'upgrade', 'remove']),
  status: z.enum(['running', 'done', 'failed', 'interrupted']),
  startedAt: z.number(),
  finishedAt: z.number().nullable(),
  steps: z.array(installStepSchema),
  failure: deviceFailureSchema.nullable(),
});

export const deviceProbeSchema = z.strictObject({
  os: z.string(),
  kernel: z.string(),
  architecture: z.string(),
  memoryBytes: z.number(),
  diskFreeBytes: z.number(),
  /** Service manager that runs the agent. */
  init: z.enum(['systemd', 'none']),
  interfaces: z.array(z.strictObject({ name: z.string(), address: z.string() })),
  tools: z.array(z.string()),
  sensors: z.array(z.string()),
  brokers: z.array(z.string()),
  /** Shaping drivers tested in a temporary network namespace; empty if they could not be tested. */
  shaping: z.array(z.string()),
});

/** The server's session with a device that was added over SSH. */
export const deviceSshSchema = z.strictObject({
  host: z.string(),
  port: z.int(),
  user: z.string(),
  fingerprint: z.string(),
  /**
   * "direct": the agent connects to the server. "tunnel": the agent connects through an SSH session of the
   * server.
   */
  connection: z.enum(['direct', 'tunnel']),
  session: z.enum(['none', 'connecting', 'connected', 'host-key-changed', 'refused']),
  /** Reason why there is no session; null if there is one, or if none is needed. */
  trouble: z.string().nullable(),
  draining: z.boolean(),
  probe: deviceProbeSchema.nullable(),
});

/** Maximum number of devices in a testbed. */
const maxDevices = 60;

/**
 * One broker and at least one publisher and subscriber, given by name or by pool; each device belongs to one
 * testbed.
 */
export const saveTestbedSchema = z
  .strictObject({
    name: deviceNameSchema,
    devices: z
      .array(z.strictObject({ deviceId: deviceIdSchema, role: z.enum(roles) }))
      .max(maxDevices)
      .refine((given) => roles.every((role) => isShared(role) || countOf(given, role) <= 1), {
        error: 'has several devices in one role, which is only possible for publishers and subscribers',
      })
      .refine((given) => new Set(given.map(({ deviceId }) => deviceId)).size === given.length, {
        error: 'names a device twice',
      }),
    /** Roles of current and future enrolled agents, by pool. */
    pools: z
      .array(testbedPoolSchema)
      .max(20)
      .refine((given) => new Set(given.map(({ pool }) => pool)).size === given.length, {
        error: 'names a pool twice',
      })
      .default([]),
    /**
     * Links, each with an interface for every device; devices in a pool can share an entry under the pool's
     * name.
     */
    links: z.array(testbedLinkSchema).min(1).max(20),
    /** Ports for the brokers of the testbed's runs, for use with a firewall; null for any free port. */
    brokerPorts: brokerPortsSchema.nullable().default(null),
  })
  .refine(({ devices, pools }) => neededRoles.every((role) => countOf([...devices, ...pools], role) > 0), {
    path: ['devices'],
    error: 'needs a broker, a publisher and a subscriber',
  });

/** Request for an enrolment token. */
export const newEnrolmentSchema = z.strictObject({
  pool: poolNameSchema,
  /** Number of agents that can enrol with the token. */
  uses: within(z.int('needs a whole number'), 1, 1000).default(1),
  /** Hours until the token expires. */
  hours: within(z.number(), 0.01, 8760).default(24),
});

export const enrolmentSchema = z.strictObject({
  id: z.int(),
  pool: poolNameSchema,
  usesLeft: z.int(),
  createdAt: z.number(),
  expiresAt: z.number(),
});

const isShared = (role: Role): boolean => sharedRoles.some((shared) => shared === role);

function countOf(devices: readonly { role: Role }[], wanted: Role): number {
  return devices.filter(({ role }) => role === wanted).length;
}

/** A known device, connected or not. */
export const knownDeviceSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  testbedId: z.string(),
  /** Absent for devices that were not enrolled with a token. */
  pool: z.string().optional(),
  online: z.boolean(),
  state: z.enum(deviceStates),
  /** Health problems in words. */
  reasons: z.array(z.string()),
  /** Last contact in Unix ms; null if its agent has never connected. */
  lastSeenAt: z.number().nullable(),
  /** null if the device is offline, or before its first report. */
  health: healthReadingSchema.nullable(),
  capabilities: agentCapabilitiesSchema.nullable(),
  /** null for devices on the server's own machine. */
  ssh: deviceSshSchema.nullable(),
  /** Results from this device that the server refused, oldest first. */
  setAside: setAsideListSchema,
});

export type HostKeyRequest = z.infer<typeof hostKeyRequestSchema>;
export type HostKeyAnswer = z.infer<typeof hostKeyAnswerSchema>;
export type DeviceLogin = z.infer<typeof deviceLoginSchema>;
export type AddDevice = z.infer<typeof addDeviceSchema>;
export type InstallStepId = (typeof installStepIds)[number];
export type InstallStep = z.infer<typeof installStepSchema>;
export type Installation = z.infer<typeof installationSchema>;
export type DeviceFailure = z.infer<typeof deviceFailureSchema>;
export type DeviceProbe = z.infer<typeof deviceProbeSchema>;
export type Enrolment = z.infer<typeof enrolmentSchema>;
export type NewEnrolment = z.infer<typeof newEnrolmentSchema>;
export type SaveTestbed = z.infer<typeof saveTestbedSchema>;
export type DeviceSsh = z.infer<typeof deviceSshSchema>;
export type KnownDevice = z.infer<typeof knownDeviceSchema>;
