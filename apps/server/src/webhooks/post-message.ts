import { createHmac, randomBytes } from 'node:crypto';
import { lookup as lookUp } from 'node:dns/promises';
import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { hostOfUrl, judgeHost, kindOfAddress } from '@mqttlab/shared/domain/devices/network-address';
import type { Issue } from '@mqttlab/shared/domain/issue';

export type Resolve = (host: string) => Promise<ResolvedAddress[]>;

interface PostOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
  timeoutMs: number;
  resolve: Resolve;
}

export interface PostOutcome {
  ok: boolean;
  status: number | null;
  reason: string | null;
  remedy: string | null;
}

/** Maximum number of bytes that are read from a response. */
const maxAnswerBytes = 65_536;

export const resolveByDns: Resolve = (host) => lookUp(host, { all: true, verbatim: true });

/** Makes one attempt; never rejects. Resolves the name and only connects to a checked address. */
export async function postMessage(options: PostOptions): Promise<PostOutcome> {
  const parsed = parseWebhookUrl(options.url);
  if (!parsed.ok) return failed(null, parsed.why.reason, parsed.why.remedy);
  const { url } = parsed;
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, timeout]);
  try {
    signal.throwIfAborted();
    const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason));
    const addresses = await Promise.race([addressesOf(url, options.resolve), aborted]);
    const against = judgeAddresses(url, addresses);
    if (against) return failed(null, against.reason, against.remedy);
    const { status, location } = await post(options, { url, addresses, signal });
    return judgeStatus(status, location);
  } catch (error) {
    if (timeout.aborted) {
      const reason = `it did not respond within ${options.timeoutMs / 1000} s`;
      return failed(null, reason, 'Respond before processing. Any status from 200 to 299 is accepted.');
    }
    return describeError(error);
  }
}

export async function addressesOf(url: URL, resolve: Resolve): Promise<ResolvedAddress[]> {
  const host = hostOfUrl(url);
  const family = isIP(host);
  return family === 0 ? resolve(host) : [{ address: host, family }];
}

interface Connection {
  url: URL;
  addresses: readonly ResolvedAddress[];
  signal: AbortSignal;
}

function post({ headers, body }: PostOptions, { url, addresses, signal }: Connection) {
  const [first] = addresses;
  const lookup: LookupFunction = (_host, { all }, answer) => {
    if (all) answer(null, [...addresses]);
    else answer(null, first?.address ?? '', first?.family ?? 4);
  };
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise<{ status: number; location: string | null }>((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        'user-agent': 'mqttlab',
      },
      agent: false,
      lookup,
      signal,
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let bytes = 0;
      const outcome = { status: response.statusCode ?? 0, location: response.headers.location ?? null };
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) response.destroy();
      });
      // Only the status matters, not how the rest of the response ends.
      response.on('error', () => {});
      response.on('close', () => resolve(outcome));
    });
    sent.end(body);
  });
}

function judgeStatus(status: number, location: string | null): PostOutcome {
  if (status >= 200 && status < 300) return { ok: true, status, reason: null, remedy: null };
  if (status >= 300 && status < 400) {
    const remedy = location ? `Set that address: ${location.slice(0, 200)}` : 'Set its new address.';
    return failed(status, `it responded with ${status}, a redirect, which is not followed`, remedy);
  }
  if (status === 410) {
    return failed(status, 'it responded with 410 Gone, so the webhook was disabled', 'Set its new address.');
  }
  const remedies =
    status === 401 || status === 403
      ? 'Check that the receiver has this webhook’s secret.'
      : status >= 500
        ? 'Check the log of the receiver.'
        : 'Check the address, and that the receiver accepts POST with JSON.';
  return failed(status, `it responded with ${status}`, remedies);
}

const reasons: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ECONNREFUSED: ['nothing listens there', 'Start the receiver, or correct the port.'],
  ECONNRESET: ['it closed the connection without a response', 'Check the log of the receiver.'],
  ENOTFOUND: ['its name is unknown', 'Correct the host name.'],
  EAI_AGAIN: ['its name could not be resolved', 'Check the network and its DNS.'],
  EHOSTUNREACH: ['no route to it', 'Check the address and the network.'],
  ENETUNREACH: ['no route to it', 'Check the address and the network.'],
  EPROTO: ['it does not use TLS on this port', 'Correct the port, or use http on a private network.'],
};

function describeError(error: unknown): PostOutcome {
  const { code = '', message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: '' };
  const known = reasons[code];
  if (known) return failed(null, ...known);
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) {
    const remedy =
      'Use a certificate from a known authority, or set NODE_EXTRA_CA_CERTS to a file with its CA certificate.';
    return failed(null, `its certificate is not trusted (${code})`, remedy);
  }
  return failed(null, message || code || 'the connection failed', 'Check the address and the receiver.');
}

function failed(status: number | null, reason: string, remedy: string): PostOutcome {
  return { ok: false, status, reason, remedy };
}

interface ResolvedAddress {
  address: string;
  family: number;
}

type Why = Pick<Issue, 'reason' | 'remedy'>;

/** Returns why these addresses of one host must not receive messages; null if they may receive them. */
export function judgeAddresses(url: URL, addresses: readonly ResolvedAddress[]): Why | null {
  const host = hostOfUrl(url);
  const plain = addresses.map(({ address }) => address);
  const against = judgeHost(host, plain);
  if (against) return against;
  const open = url.protocol === 'http:' ? plain.find((one) => kindOfAddress(one) === 'public') : undefined;
  if (open === undefined) return null;
  return {
    reason: `${open === host ? host : `${host} (${open})`} is not on this machine or in a private network; http is allowed only there`,
    remedy: 'Use https.',
  };
}

/** Returns the address as a URL, or describes the error in its format. */
export function parseWebhookUrl(text: string): { ok: true; url: URL } | { ok: false; why: Why } {
  const url = URL.parse(text);
  const example = 'https://example.org/hooks/mqttlab';
  const refuse = (reason: string, remedy: string) => ({ ok: false as const, why: { reason, remedy } });
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    return refuse('it is not a web address', `An example is ${example}.`);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse(
      'it contains a user name or password',
      'Leave them out: every message is signed with the secret, which the receiver can check.',
    );
  }
  url.hash = '';
  return { ok: true, url };
}

/** Prefix according to Standard Webhooks 1.0.0: https://github.com/standard-webhooks/standard-webhooks */
const prefix = 'whsec_';
const secretBytes = { made: 32, min: 24, max: 64 } as const;

export function makeSecret(): string {
  return prefix + randomBytes(secretBytes.made).toString('base64');
}

/** Returns true if the text is "whsec_" and 24 to 64 bytes in base64. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(prefix)) return false;
  const encoded = text.slice(prefix.length);
  const key = Buffer.from(encoded, 'base64');
  const same = key.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
  return same && key.length >= secretBytes.min && key.length <= secretBytes.max;
}

interface SignedMessage {
  messageId: string;
  /** Time of this attempt, in Unix s. */
  timestamp: number;
  body: string;
}

/** Returns headers with which a receiver verifies that a message is authentic, unchanged and fresh. */
export function signHeaders(secret: string, { messageId, timestamp, body }: SignedMessage) {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const signature = createHmac('sha256', key).update(`${messageId}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
}
