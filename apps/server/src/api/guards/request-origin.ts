import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { judgeHost } from '@mqttlab/shared/domain/devices/network-address';
import type { RequestHandler } from 'express';
import { isLoopbackHost, type ProxyHeader } from '../../base/config.ts';
import { ProblemError, unprocessable } from '../../base/errors.ts';

export interface HostRules {
  /** Host names of this server in addition to localhost. */
  hostnames: readonly string[];
  /** Any IP address is also accepted, because DNS cannot rebind an IP literal. */
  anyAddress: boolean;
}

/** Returns why a request is refused: DNS rebinding by another site's page, or a cross-site request. */
export function findForeign(request: IncomingMessage, rules: HostRules): ProblemError | null {
  const hostname = hostnameOf(request.headers.host);
  const known =
    hostname !== null &&
    (isLoopbackHost(hostname) ||
      rules.hostnames.includes(hostname) ||
      (rules.anyAddress && isIP(hostname) !== 0));
  if (!known) {
    return new ProblemError({
      status: 421,
      detail: `This server is not known as "${request.headers.host ?? ''}".`,
      remedy: 'Use the address that the server prints when it starts, or add the name to MQTTLAB_HOSTNAMES.',
    });
  }
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const changes = !reads || request.headers.upgrade !== undefined;
  const foreign = changes ? foreignSource(request) : null;
  if (foreign === null) return null;
  return new ProblemError({
    status: 403,
    detail: `Pages from ${foreign.slice(0, 200)} are not allowed to change anything on this server.`,
    remedy: 'Open the page from the address of this server.',
  });
}

/**
 * Returns the site of another page that made this request; null if the request came from a page of this
 * server or a program. Browsers send Origin, Sec-Fetch-Site (W3C Fetch Metadata) or both. Other ports and
 * subdomains count as other sites.
 */
function foreignSource({ headers }: IncomingMessage): string | null {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && URL.parse(origin)?.host !== host) return origin;
  if (site === undefined || site === 'same-origin' || site === 'none') return null;
  return origin ?? 'another site';
}

/** Checks Host and Origin before all other checks. */
export function checkHost(rules: HostRules): RequestHandler {
  return (request, _response, next) => next(findForeign(request, rules) ?? undefined);
}

/**
 * Policy for the built page: scripts only from this server, styles also inline (the component library uses
 * them).
 */
const contentPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

export const setSecurityHeaders: RequestHandler = (_request, response, next) => {
  response.set({
    'Content-Security-Policy': contentPolicy,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  });
  next();
};

/**
 * Throws a 422 problem that names the field if a host is, or resolves to, a link-local or metadata address.
 * Unresolvable names are accepted: devices may resolve them, and check again before they connect.
 */
export async function requireAddress(host: string, field: string): Promise<void> {
  const found = await lookup(host, { all: true }).catch(() => []);
  const why = judgeHost(
    host,
    found.map(({ address }) => address),
  );
  if (why) throw unprocessable('The address cannot be set.', [{ field, ...why }]);
}

/**
 * Headers that proxies add to forwarded requests, in addition to all headers that begin with X-Forwarded-.
 */
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

/**
 * Returns true for a request from a program on this machine to a name of this machine, without a proxy in
 * between.
 */
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

/**
 * Returns true if the request was forwarded by a proxy. By default nginx sets no header but sends HTTP/1.0,
 * as no other client does.
 */
function wasForwarded({ headers, httpVersion }: IncomingMessage): boolean {
  return (
    httpVersion === '1.0' ||
    Object.keys(headers).some((name) => name.startsWith('x-forwarded-') || forwardingHeaders.includes(name))
  );
}

/** Returns the host name in a Host header without its port; null if the header is malformed. */
function hostnameOf(header: string | undefined): string | null {
  if (!header || !/^[\w.:[\]-]{1,255}$/.test(header)) return null;
  return URL.parse(`http://${header}`)?.hostname.replace(/^\[|\]$/g, '') ?? null;
}

const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

export interface ProxyRules {
  /** Addresses of proxies on other machines. A proxy on this machine needs no entry. */
  proxies?: readonly string[];
  /** Header in which the proxy names its client. Clients can send all other headers themselves. */
  proxyHeader?: ProxyHeader | null;
}

/** Returns the IPv4 address or IPv6 /64 network of the client; behind a trusted proxy, from its configured header. */
export function callerAddress(request: IncomingMessage, rules: ProxyRules): string {
  const peer = plainAddress(request.socket.remoteAddress ?? 'unknown');
  const trusted = isLoopbackHost(peer) || rules.proxies?.includes(peer);
  return networkOf((trusted && forwardedAddress(request, rules.proxyHeader ?? null)) || peer);
}

/**
 * Returns the last address in the header, which is the address of the proxy's client. The client may have
 * sent the other addresses.
 */
function forwardedAddress({ headers }: IncomingMessage, header: ProxyHeader | null): string | null {
  if (header === null) return null;
  const last =
    String(headers[header] ?? '')
      .split(',')
      .at(-1)
      ?.trim() ?? '';
  // Some proxies add the port: "192.0.2.1:4711", "[2001:db8::1]:4711".
  const bare = last.replace(/^\[(.+)\](:\d+)?$|^([\d.]+):\d+$/, '$1$3');
  return isIP(bare) === 0 ? null : plainAddress(bare);
}

/**
 * Returns an IPv4 address unchanged, and the /64 network of an IPv6 address, because one client has the whole
 * network.
 */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const compact = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
  const [head = '', tail = ''] = compact.split('::');
  const [before, after] = [head, tail].map((half) => (half === '' ? [] : half.split(':'))) as [
    string[],
    string[],
  ];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

/**
 * Returns true if the browser's connection is encrypted, here or at a proxy, according to the Origin header
 * or the proxy.
 */
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

/** Returns the origin at which the caller reached the server, such as "https://lab.example:8080". */
export function originOf(request: IncomingMessage): string {
  return `${isEncrypted(request) ? 'https' : 'http'}://${request.headers.host ?? ''}`;
}
