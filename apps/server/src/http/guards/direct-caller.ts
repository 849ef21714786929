import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../../base/config.ts';

/** Headers by which proxies say that they hand a request on, beside all that begin with X-Forwarded-. */
const forwardingHeaders = [
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-envoy-external-address',
  'x-original-forwarded-for',
  'cf-connecting-ip',
  'true-client-ip',
];

/** Made by a program on this machine, to a name of this machine, and handed on by nobody. */
export function isDirectLocal(request: IncomingMessage): boolean {
  const { remoteAddress } = request.socket;
  const host = hostnameOf(request.headers.host);
  return (
    remoteAddress !== undefined &&
    isLoopbackHost(remoteAddress) &&
    host !== null &&
    isLoopbackHost(host) &&
    !wasForwarded(request)
  );
}

/** Through a proxy. nginx as it comes sets no header, but speaks HTTP/1.0 to what is behind it; nothing else does. */
function wasForwarded({ headers, httpVersion }: IncomingMessage): boolean {
  return (
    httpVersion === '1.0' ||
    Object.keys(headers).some((name) => name.startsWith('x-forwarded-') || forwardingHeaders.includes(name))
  );
}

/** Host name of a Host header without its port; null where it is malformed. */
export function hostnameOf(header: string | undefined): string | null {
  if (!header || !/^[\w.:[\]-]{1,255}$/.test(header)) return null;
  return URL.parse(`http://${header}`)?.hostname.replace(/^\[|\]$/g, '') ?? null;
}

/** Made by a proxy that is believed: one on this machine, or one of these addresses. */
function isTrustedProxy({ socket }: IncomingMessage, proxies: readonly string[] = []): boolean {
  const peer = plainAddress(socket.remoteAddress ?? '');
  return isLoopbackHost(peer) || proxies.includes(peer);
}

const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** Whoever asks: the address before a proxy, as one that is believed says; an IPv6 network of /64 as one. */
export function callerAddress(request: IncomingMessage, proxies?: readonly string[]): string {
  const behind = isTrustedProxy(request, proxies) ? lastForwarded(request) : null;
  const address = plainAddress(behind ?? request.socket.remoteAddress ?? 'unknown');
  return address.includes(':') ? `${address.split(':').slice(0, 4).join(':')}::/64` : address;
}

/** The last one is the proxy's own word; those before it are what it was told. */
function lastForwarded({ headers }: IncomingMessage): string | null {
  const chain = String(headers['x-forwarded-for'] ?? headers['x-real-ip'] ?? '');
  return chain.split(',').at(-1)?.trim().slice(0, 64) || null;
}

/** Whether the browser's own connection is encrypted, here or at a proxy: its page says so, or the proxy. */
export function isEncrypted({ headers, socket }: IncomingMessage): boolean {
  const proxySays = String(headers['x-forwarded-proto'] ?? '')
    .split(',')[0]
    ?.trim();
  return (
    'encrypted' in socket ||
    headers.origin?.startsWith('https://') === true ||
    proxySays === 'https' ||
    /(^|[;,\s])proto="?https/i.test(headers.forwarded ?? '')
  );
}
