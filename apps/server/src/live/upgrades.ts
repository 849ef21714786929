import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Problem } from '@mqttlab/shared/messages/http';

/** One WebSocket address of the server. */
export interface SocketEndpoint {
  path: string;
  /** Accepts the connection, or refuses it. */
  accept(upgrade: UpgradeRequest): void;
}

export interface UpgradeRequest {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  url: URL;
}

export type Refusal = Pick<Problem, 'status' | 'detail' | 'remedy'>;

const unreadable: Refusal = {
  status: 503,
  detail: 'The server currently cannot read its data.',
  remedy: 'Try again in a moment; the page and the log show the cause.',
};

/** Passes every WebSocket request to the endpoint with its path. Returns a function that stops this. */
export function routeUpgrades(server: Server, endpoints: readonly SocketEndpoint[]): () => void {
  const route = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy());
    const url = parseUrl(request.url);
    const endpoint = endpoints.find(({ path }) => path === url?.pathname);
    if (url && endpoint) {
      try {
        endpoint.accept({ request, socket, head, url });
      } catch {
        // The caller could not be identified. An exception here would stop the server.
        refuseUpgrade(socket, unreadable);
      }
    } else
      refuseUpgrade(socket, {
        status: 404,
        detail: 'There is no WebSocket at this address.',
        remedy: `Connect to ${endpoints.map(({ path }) => path).join(' or ')}.`,
      });
  };
  server.on('upgrade', route);
  return () => void server.off('upgrade', route);
}

/** Responds over HTTP with a problem document and closes the connection. */
export function refuseUpgrade(socket: Duplex, refusal: Refusal): void {
  const title = STATUS_CODES[refusal.status] ?? 'Error';
  const problem: Problem = { type: 'about:blank', title, issues: [], ...refusal };
  const body = JSON.stringify(problem);
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${title}`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function parseUrl(path: string | undefined): URL | null {
  return URL.parse(path ?? '', 'http://server.invalid');
}
