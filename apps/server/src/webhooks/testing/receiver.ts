import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { type WebhookMessage, webhookMessageSchema } from '@mqttlab/shared/messages/webhooks';

export interface Received {
  id: string;
  path: string;
  headers: IncomingHttpHeaders;
  message: WebhookMessage;
  /** Verifies a message as a receiver would, from the secret alone. */
  isGenuine: (secret: string) => boolean;
}

/** Starts a real HTTP server that receives messages. `answer` writes the response; 204 by default. */
export async function startReceiver(
  answer: (received: Received, count: number, response: ServerResponse) => void = (_r, _c, response) =>
    void response.writeHead(204).end(),
) {
  const all: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const received = read(request.url ?? '', request.headers, body);
      all.push(received);
      answer(received, all.length, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
  return {
    all,
    port,
    url: `http://127.0.0.1:${port}/hook`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

function read(path: string, headers: IncomingHttpHeaders, body: string): Received {
  const header = (name: string): string => String(headers[name] ?? '');
  const id = header('webhook-id');
  return {
    id,
    path,
    headers,
    message: webhookMessageSchema.parse(JSON.parse(body)),
    isGenuine(secret) {
      const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
      const text = `${id}.${header('webhook-timestamp')}.${body}`;
      const expected = `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
      const ageS = Math.abs(Date.now() / 1000 - Number(header('webhook-timestamp')));
      return header('webhook-signature').split(' ').includes(expected) && ageS < 300;
    },
  };
}
