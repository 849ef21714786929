import type { Server } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import { networkInterfaces } from 'node:os';
import { type Config, isLoopbackHost } from './base/config.ts';
import { StartError } from './base/errors.ts';

const reasons: Readonly<Record<string, { reason: string; remedy: string }>> = {
  EADDRINUSE: { reason: 'is taken', remedy: 'Stop the other program, or set PORT.' },
  EACCES: { reason: 'may not be used by this user', remedy: 'Set PORT to 1024 or above.' },
  EADDRNOTAVAIL: { reason: 'is not on this machine', remedy: 'Set HOST to one of its addresses.' },
  ENOTFOUND: { reason: 'is not known', remedy: 'Set HOST to an address of this machine.' },
};

/**
 * How long an idle connection stays open, ms: longer than the minute of usual proxies. A client that reuses a connection
 * while the server closes it gets an error, and after Node's default of 5 s a busy client often does.
 */
const keepAliveTimeoutMs = 65_000;

/** Resolves with the port; rejects with StartError when it is taken. */
export function listen(server: Server, { host, port }: Pick<Config, 'host' | 'port'>): Promise<number> {
  server.keepAliveTimeout = keepAliveTimeoutMs;
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const known = reasons[error.code ?? ''];
      reject(known ? new StartError(`${host}:${port} ${known.reason}.`, known.remedy) : error);
    });
    server.listen(port, host, () => {
      const bound = server.address();
      resolve(bound !== null && typeof bound === 'object' ? bound.port : port);
    });
  });
}

const anyAddresses: readonly string[] = ['0.0.0.0', '::'];

/** How the page is reached from this machine. */
export function addressOf(server: Server, host: string, port: number): string {
  const shown = anyAddresses.includes(host) ? '127.0.0.1' : host;
  const scheme = server instanceof HttpsServer ? 'https' : 'http';
  return `${scheme}://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}

/** Addresses at which other machines reach the server; empty if it listens on loopback only. */
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

/** Where programs on this machine reach the server. */
export function localUrl(server: Server): string {
  return urlAt(server, '127.0.0.1');
}

/** Where a listening server is reached that listens on its one address, or on all of them and so at this one. */
export function urlAt(server: Server, host: string): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen on a port');
  return addressOf(server, anyAddresses.includes(bound.address) ? host : bound.address, bound.port);
}

/** How the page is reached from anywhere; null where nobody has said so. */
export function ownOrigin(
  { host, hostnames }: Pick<Config, 'host' | 'hostnames'>,
  server: Server,
): string | null {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return null;
  const name = hostnames[0] ?? (anyAddresses.includes(host) ? null : host);
  return name === null ? null : addressOf(server, name, bound.port);
}

const patienceMs = 1000;

/** Idle connections are closed at once, answers under way get a moment. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) {
      resolve();
      return;
    }
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), patienceMs).unref();
  });
}
