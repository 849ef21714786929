import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { judgeHost } from '@mqttlab/shared/domain/devices/network-address';
import type { RequestHandler } from 'express';
import { isLoopbackHost } from '../../base/config.ts';
import { ProblemError, unprocessable } from '../../base/errors.ts';
import { hostnameOf } from './direct-caller.ts';

export interface HostRules {
  /** Host names of this server, in addition to localhost. */
  hostnames: readonly string[];
  /** Also accepts any IP address: an IP literal cannot be rebound by DNS. */
  anyAddress: boolean;
}

/** Returns why a request is refused: DNS rebinding by a page of another site, or a cross-site request. */
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
      remedy: 'Use the address it prints when it starts, or add the name to MQTTLAB_HOSTNAMES.',
    });
  }
  const reads = request.method === 'GET' || request.method === 'HEAD';
  const changes = !reads || request.headers.upgrade !== undefined;
  const foreign = changes ? foreignSource(request) : null;
  if (foreign === null) return null;
  return new ProblemError({
    status: 403,
    detail: `Pages from ${foreign.slice(0, 200)} may not change anything here.`,
    remedy: 'Open the page from the address of this server.',
  });
}

/**
 * Returns the site of another page that made this request, and null if it came from a page of this server or a program.
 * Browsers send Origin, Sec-Fetch-Site (W3C Fetch Metadata) or both. Other ports and subdomains are other sites here.
 */
function foreignSource({ headers }: IncomingMessage): string | null {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && URL.parse(origin)?.host !== host) return origin;
  if (site === undefined || site === 'same-origin' || site === 'none') return null;
  return origin ?? 'another site';
}

/** Checks Host and Origin before anything else. */
export function checkHost(rules: HostRules): RequestHandler {
  return (request, _response, next) => next(findForeign(request, rules) ?? undefined);
}

/** For the built page: scripts only from this server, styles also inline (the component library uses them). */
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
