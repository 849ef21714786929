import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { startFailure } from './errors.ts';

export interface Config {
  /** 0 selects a free port. */
  port: number;
  host: string;
  /** True if only this machine can reach the server; otherwise all callers need a login. */
  loopback: boolean;
  dataFolder: string;
  adminToken: string | null;
  /** Names of the server in addition to localhost. */
  hostnames: string[];
  /**
   * Origin under which other machines open the page, for links. If null, it is derived from the addresses on
   * which the server listens.
   */
  publicUrl: string | null;
  transport: TransportChoice;
  /**
   * Header in which a proxy names its client. If null, clients behind a proxy share the address of the proxy.
   */
  proxyHeader: ProxyHeader | null;
  logLevel: (typeof logLevels)[number];
  /** Folder of package.json. */
  projectRoot: string;
  /** Folder of the built page. */
  pageFolder: string;
  version: string;
}

/** How other machines communicate with the server. */
type TransportChoice =
  /** HTTP on loopback, or also elsewhere if the operator allowed it (`waived`). */
  | { kind: 'plain'; waived: boolean }
  /** HTTP, only for these addresses and this machine. */
  | { kind: 'proxy'; addresses: string[] }
  /** HTTPS with a certificate from the server's own certificate authority. */
  | { kind: 'authority' }
  /** HTTPS with the given certificate files, PEM. */
  | { kind: 'files'; certificate: string; key: string };

const proxyHeaders = ['x-forwarded-for', 'x-real-ip'] as const;
export type ProxyHeader = (typeof proxyHeaders)[number];

interface Project {
  /** Folder of package.json. */
  root: string;
  version: string;
}

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const hostname = z.string().regex(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, 'is not a host name');

/** Returns the parts of an address after its origin. */
function pathOf(text: string): string {
  const { origin, href, username } = new URL(text);
  return username === '' ? href.slice(origin.length) : username;
}

/** Valid values of each variable; an empty variable counts as not set. */
const environmentSchema = z.object({
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'is not a port')
    .transform(Number)
    .pipe(z.int().max(65_535))
    .default(8080),
  HOST: z.union([z.ipv4(), z.ipv6(), hostname], 'is not an address or host name').default('127.0.0.1'),
  MQTTLAB_DATA: z.string().max(4000).optional(),
  MQTTLAB_ADMIN_TOKEN: z
    .string()
    .regex(/^[!-~]{32,200}$/, 'is not 32 to 200 characters without spaces')
    .refine((token) => new Set(token).size >= 8, 'repeats a few characters and is easy to guess')
    .optional(),
  MQTTLAB_HOSTNAMES: z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim().toLowerCase()))
    .pipe(z.array(hostname))
    .default([]),
  MQTTLAB_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'is not an http or https address', abort: true })
    .refine((text) => /^\/?$/.test(pathOf(text)), 'has a path, a query or a login')
    .transform((text) => new URL(text).origin)
    .optional(),
  MQTTLAB_TLS_CERTIFICATE: z.string().max(4000).optional(),
  MQTTLAB_TLS_KEY: z.string().max(4000).optional(),
  MQTTLAB_PROXY: z
    .string()
    .transform((text) => text.split(',').map((address) => address.trim().toLowerCase()))
    .pipe(z.array(z.union([z.ipv4(), z.ipv6()], 'is not an address')))
    .optional(),
  MQTTLAB_PROXY_HEADER: z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(proxyHeaders, `is neither ${proxyHeaders.join(' nor ')}`))
    .optional(),
  MQTTLAB_INSECURE_HTTP: z.enum(['yes', 'no'], 'is neither yes nor no').default('no'),
  LOG_LEVEL: z.enum(logLevels).default('warn'),
});

const remedies: Readonly<Record<string, string>> = {
  PORT: 'Set PORT to 0 to 65535.',
  HOST: 'Set HOST to an address of this machine, for example 127.0.0.1 or 0.0.0.0.',
  MQTTLAB_DATA: 'Set MQTTLAB_DATA to a folder.',
  MQTTLAB_ADMIN_TOKEN:
    'Set MQTTLAB_ADMIN_TOKEN to 32 to 200 random characters, for example from "openssl rand -hex 32".',
  MQTTLAB_HOSTNAMES: 'Set MQTTLAB_HOSTNAMES to names separated by commas.',
  MQTTLAB_PUBLIC_URL:
    'Set MQTTLAB_PUBLIC_URL to the address at which others open the page, for example https://lab.example.org.',
  MQTTLAB_TLS_CERTIFICATE:
    'Set both MQTTLAB_TLS_KEY and MQTTLAB_TLS_CERTIFICATE to PEM files, or set neither.',
  MQTTLAB_TLS_KEY: 'Set both MQTTLAB_TLS_KEY and MQTTLAB_TLS_CERTIFICATE to PEM files, or set neither.',
  MQTTLAB_PROXY: 'Set MQTTLAB_PROXY to the addresses that the proxy connects from, separated by commas.',
  MQTTLAB_PROXY_HEADER: `Set MQTTLAB_PROXY_HEADER to the header in which the proxy names its client, ${proxyHeaders.join(' or ')}.`,
  MQTTLAB_INSECURE_HTTP:
    'Set MQTTLAB_INSECURE_HTTP to yes if passwords, tokens and keys may cross the network unencrypted.',
  LOG_LEVEL: `Set LOG_LEVEL to ${logLevels.join(', ')}.`,
};

/** Returns the names of the variables and whether each is set, never their values. */
export function namesOfSettings(environment: NodeJS.ProcessEnv): { name: string; isSet: boolean }[] {
  return Object.keys(environmentSchema.shape).map((name) => ({ name, isSet: Boolean(environment[name]) }));
}

/** Parses the environment. Throws a start failure that names the invalid variable and its remedy. */
export function parseConfig(environment: NodeJS.ProcessEnv, project: Project): Config {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  const parsed = environmentSchema.safeParse(Object.fromEntries(given));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = String(issue?.path[0]);
    throw startFailure(`${name}: ${issue?.message}.`, remedies[name] ?? 'Correct the environment.');
  }
  const { PORT, HOST, MQTTLAB_DATA, MQTTLAB_ADMIN_TOKEN, MQTTLAB_HOSTNAMES, LOG_LEVEL } = parsed.data;
  const loopback = isLoopbackHost(HOST);
  const publicUrl = parsed.data.MQTTLAB_PUBLIC_URL ?? null;
  const publicName = publicUrl === null ? [] : [new URL(publicUrl).hostname];
  return {
    port: PORT,
    host: HOST,
    loopback,
    dataFolder: MQTTLAB_DATA ? resolve(MQTTLAB_DATA) : join(project.root, 'data'),
    adminToken: MQTTLAB_ADMIN_TOKEN ?? null,
    hostnames: [...new Set([...publicName, ...MQTTLAB_HOSTNAMES])],
    publicUrl,
    transport: chooseTransport(parsed.data, loopback),
    proxyHeader: parsed.data.MQTTLAB_PROXY_HEADER ?? null,
    logLevel: LOG_LEVEL,
    projectRoot: project.root,
    pageFolder: join(project.root, 'apps', 'web', 'dist'),
    version: project.version,
  };
}

function chooseTransport(given: z.infer<typeof environmentSchema>, loopback: boolean): TransportChoice {
  const { MQTTLAB_TLS_CERTIFICATE: certificate, MQTTLAB_TLS_KEY: key, MQTTLAB_PROXY: addresses } = given;
  if (certificate !== undefined && key !== undefined) {
    return { kind: 'files', certificate: resolve(certificate), key: resolve(key) };
  }
  const half = certificate === undefined ? 'MQTTLAB_TLS_CERTIFICATE' : 'MQTTLAB_TLS_KEY';
  if (certificate !== key) throw startFailure(`${half}: is missing.`, remedies[half] ?? '');
  if (addresses) return { kind: 'proxy', addresses };
  if (loopback) return { kind: 'plain', waived: false };
  return given.MQTTLAB_INSECURE_HTTP === 'yes' ? { kind: 'plain', waived: true } : { kind: 'authority' };
}

/** Returns true for the name or address of a host that only this machine reaches; IPv6 without brackets. */
export function isLoopbackHost(host: string): boolean {
  const plain = host.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

const packageSchema = z.object({ name: z.literal('mqttlab'), version: z.string() });

/**
 * Returns the project folder: the nearest parent folder that contains its package.json, for source and
 * bundle.
 */
export function findProject(from = dirname(fileURLToPath(import.meta.url))): Project {
  for (let folder = from; ; folder = dirname(folder)) {
    const version = readVersion(join(folder, 'package.json'));
    if (version !== null) return { root: folder, version };
    if (folder === dirname(folder)) throw new Error(`no mqttlab project in or above ${from}`);
  }
}

function readVersion(path: string): string | null {
  if (!existsSync(path)) return null;
  const parsed = packageSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  return parsed.success ? parsed.data.version : null;
}
