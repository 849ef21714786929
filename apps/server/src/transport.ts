import { createServer, type Server } from 'node:http';
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type Config, isLoopbackHost } from './base/config.ts';
import { startFailure } from './base/errors.ts';
import { activateNextAuthority } from './provisioning/server-authority.ts';
import {
  makeServerCertificate,
  readServerCertificate,
  type ServerCertificate,
  stageAuthority,
} from './provisioning/server-certificate.ts';

export interface Transport {
  server: Server;
  /** Returns the PEM certificate that agents pin; null without TLS. */
  pinned(): string | null;
  /** Returns the certificate of this server's own authority, PEM, and its fingerprint; null if it has none. */
  authority(): { certificate: string; fingerprint: string } | null;
  /** True if other machines can connect to the server directly. */
  isOpen: boolean;
  /** Start-up messages for the operator. */
  words: string[];
  /** Messages to the operator about the certificate, also for the log on the page. */
  concerns: string[];
  /** Replacement of the certificate authority; null if the server has none that it could replace. */
  rotation: AuthorityRotation | null;
  stop(): void;
}

/**
 * Replaces the server's own certificate authority in two steps, so that agents can be notified in between.
 */
interface AuthorityRotation {
  /** Creates the next authority. Resolves with its certificate, PEM. */
  stage(): Promise<string>;
  /** Serves a certificate from the next authority from now on. Open connections stay open. */
  activate(): Promise<ServerCertificate>;
}

/**
 * Interval in ms at which an expiring certificate is renewed or a renewed file is loaded while the server is
 * running.
 */
const renewMs = 6 * 3_600_000;

/**
 * Opens HTTP or HTTPS as configured, not yet listening. Rejects with a start failure if certificate files are
 * invalid.
 */
export async function openTransport(
  config: Config,
  { onFailure }: { onFailure: (error: unknown) => void },
): Promise<Transport> {
  const { transport, loopback } = config;
  if (transport.kind === 'plain' || transport.kind === 'proxy') {
    const server = createServer();
    if (transport.kind === 'proxy') server.on('connection', admitOnly(transport.addresses));
    const isOpen = !loopback && transport.kind === 'plain';
    const isUnnamed = transport.kind === 'proxy' && config.proxyHeader === null;
    const words = [...(isOpen ? [risk] : []), ...(isUnnamed ? [sharedLimit] : [])];
    const stop = () => undefined;
    return {
      server,
      pinned: () => null,
      authority: () => null,
      isOpen,
      words,
      concerns: [],
      rotation: null,
      stop,
    };
  }
  const own = () => ({
    folder: join(config.dataFolder, 'tls'),
    names: [...config.hostnames, ...(/^(0\.0\.0\.0|::)$/.test(config.host) ? [] : [config.host])],
    nowMs: Date.now(),
  });
  const open = (): Promise<ServerCertificate> =>
    transport.kind === 'files' ? readServerCertificate(transport) : makeServerCertificate(own());
  const first = await open();
  let current = first;
  const server = createHttpsServer({ cert: first.chain, key: first.key, minVersion: 'TLSv1.2' });
  const serve = async (): Promise<ServerCertificate> => {
    current = await open();
    server.setSecureContext({ cert: current.chain, key: current.key, minVersion: 'TLSv1.2' });
    return current;
  };
  const renewal = setInterval(() => void serve().catch(onFailure), renewMs);
  renewal.unref();
  const rotation: AuthorityRotation = {
    stage: () => stageAuthority(own()),
    async activate() {
      await activateNextAuthority(own().folder);
      return serve();
    },
  };
  return {
    server,
    pinned: () => current.pinned,
    authority: () =>
      current.authority && { certificate: current.pinned, fingerprint: current.authority.fingerprint },
    isOpen: !loopback,
    words: wordsOf(first),
    concerns: first.concerns,
    rotation: transport.kind === 'authority' ? rotation : null,
    stop: () => clearInterval(renewal),
  };
}

const risk =
  'MQTTLAB_INSECURE_HTTP=yes: passwords, tokens, and the keys of brokers and payloads cross the network unencrypted; anyone who can read its traffic can take over this server and its devices.';

const sharedLimit =
  'MQTTLAB_PROXY_HEADER is not set, so all clients of the proxy share one limit for wrong passwords.';

function wordsOf({ fingerprint, authority, concerns }: ServerCertificate): string[] {
  const own = `Its certificate has the SHA-256 fingerprint ${fingerprint}`;
  if (authority === null) return [`${own}.`];
  return [
    `${own}. Compare it before you trust it in a browser,`,
    `or import its CA certificate, ${authority.path} (SHA-256 ${authority.fingerprint}).`,
    ...concerns,
  ];
}

/** Returns a function that closes connections from all other addresses before a byte is read. */
function admitOnly(addresses: readonly string[]): (socket: Socket) => void {
  return (socket) => {
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    const isOwn = isLoopbackHost(peer) || socket.remoteAddress === socket.localAddress;
    if (!isOwn && !addresses.includes(peer)) socket.destroy();
  };
}

const reasons: Readonly<Record<string, { reason: string; remedy: string }>> = {
  EADDRINUSE: { reason: 'is taken', remedy: 'Stop the other program, or set PORT.' },
  EACCES: { reason: 'cannot be used by this user', remedy: 'Set PORT to 1024 or above.' },
  EADDRNOTAVAIL: { reason: 'is not on this machine', remedy: 'Set HOST to one of its addresses.' },
  ENOTFOUND: { reason: 'is unknown', remedy: 'Set HOST to an address of this machine.' },
};

/**
 * How long an idle connection stays open, in ms: longer than the usual minute in proxies. A client that
 * reuses a connection while the server is closing it gets an error, which is frequent with Node's default of
 * 5 s.
 */
const keepAliveTimeoutMs = 65_000;

/** Starts listening. Resolves with the port; rejects with a start failure if the port is taken. */
export function listen(server: Server, { host, port }: Pick<Config, 'host' | 'port'>): Promise<number> {
  server.keepAliveTimeout = keepAliveTimeoutMs;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const known = reasons[error.code ?? ''];
      reject(known ? startFailure(`${host}:${port} ${known.reason}.`, known.remedy) : error);
    });
    server.listen(port, host, () => {
      const bound = server.address();
      resolve(bound !== null && typeof bound === 'object' ? bound.port : port);
    });
  });
}

const anyAddresses: readonly string[] = ['0.0.0.0', '::'];

/** Returns the address of the page on this machine. */
export function addressOf(server: Server, host: string, port: number): string {
  const shown = anyAddresses.includes(host) ? '127.0.0.1' : host;
  const scheme = server instanceof HttpsServer ? 'https' : 'http';
  return `${scheme}://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}

/** Returns the addresses at which other machines reach the server; empty if it only listens on loopback. */
export function addressesForOthers(
  server: Server,
  { host, port, hostnames }: Pick<Config, 'host' | 'port' | 'hostnames'>,
  interfaces = networkInterfaces(),
): string[] {
  if (isLoopbackHost(host)) return [];
  if (hostnames.length > 0) return hostnames.map((name) => addressOf(server, name, port));
  if (!anyAddresses.includes(host)) return [addressOf(server, host, port)];
  return Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family, address }) =>
      internal || /^fe[89ab]/i.test(address) ? false : family === 'IPv4' || host === '::',
    )
    .map(({ address }) => addressOf(server, address, port));
}

/** Returns the address of the server for programs on this machine. */
function localUrl(server: Server): string {
  return urlAt(server, '127.0.0.1');
}

/** Returns the URL of a server: its bound address, or `host` if it listens on all addresses. */
export function urlAt(server: Server, host: string): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server is not listening on a port');
  return addressOf(server, anyAddresses.includes(bound.address) ? host : bound.address, bound.port);
}

/** Returns the content of the agents' server file: the address, then the certificates (PEM) to pin. */
export function agentAddressOf(server: Server, certificates: readonly string[]): string {
  return [localUrl(server), ...certificates].join('\n');
}

/**
 * Returns the origin for links to the page: the configured origin, otherwise the first address at which other
 * machines reach the server. Returns null if only this machine reaches the server, or only a proxy, whose
 * address is unknown.
 */
export function originForOthers(
  config: Pick<Config, 'host' | 'hostnames' | 'publicUrl' | 'transport'>,
  server: Server,
): string | null {
  if (config.publicUrl !== null) return config.publicUrl;
  const bound = server.address();
  if (bound === null || typeof bound === 'string' || config.transport.kind === 'proxy') return null;
  return addressesForOthers(server, { ...config, port: bound.port })[0] ?? null;
}

/** Returns the origin for links created by a caller who reached the server at `reached`. */
export function originForLinks(
  config: Parameters<typeof originForOthers>[0],
  server: Server,
  reached: string,
): string | null {
  const name = URL.parse(reached)?.hostname.replace(/^\[|\]$/g, '') ?? 'localhost';
  return config.publicUrl ?? (isLoopbackHost(name) ? originForOthers(config, server) : reached);
}

const closeTimeoutMs = 1000;

/** Closes idle connections immediately; pending responses get a moment to complete. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) {
      resolve();
      return;
    }
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), closeTimeoutMs).unref();
  });
}
