import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { connect } from 'node:tls';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import { loadFailure } from '../base/load-failures.ts';
import { makeClientTls } from '../tls/client-tls.ts';
import { type ClientHello, parseClientHello } from './client-hello.ts';

const patienceMs = 10_000;
const host = '127.0.0.1';

/**
 * Lets a client connect to a port of ours and reads what it offers. `launch` starts it; what it returns ends it.
 * Rejects when nothing comes in time.
 */
async function hearClientHello(launch: (port: number) => () => void): Promise<ClientHello> {
  const server = createServer().listen(0, host);
  if (!server.listening) await once(server, 'listening');
  const bound = server.address();
  const connected = once(server, 'connection', { signal: AbortSignal.timeout(patienceMs) });
  const end = launch(typeof bound === 'object' && bound !== null ? bound.port : 0);
  let socket: Socket | null = null;
  try {
    socket = (await connected)[0] as Socket;
    return await readClientHello(socket);
  } finally {
    end();
    socket?.destroy();
    server.close();
  }
}

async function readClientHello(socket: Socket): Promise<ClientHello> {
  let heard = Buffer.alloc(0);
  socket.setTimeout(patienceMs, () => socket.destroy());
  for await (const chunk of socket) {
    heard = Buffer.concat([heard, chunk as Buffer]);
    const hello = parseClientHello(heard);
    if (hello !== null) return hello;
  }
  throw new Error('the client went away before it had said hello');
}

/**
 * Makes sure that a program offers exactly what the Trial asks for, measured against what our own client offers for
 * it: then whatever was agreed on later can be nothing else. Rejects with RunFailure 'negotiation-mismatch'.
 */
export async function checkOffer(
  command: PrepareClient,
  launch: (port: number) => () => void,
): Promise<ClientHello> {
  const tls = await makeClientTls(command);
  const own = await hearClientHello((port) => {
    const socket = connect({ ...tls?.take(), port, host });
    socket.on('error', () => {});
    return () => socket.destroy();
  });
  const offered = await hearClientHello(launch).catch((error: unknown) => {
    throw loadFailure('tls-handshake', `mosquitto_pub does not begin a TLS handshake: ${String(error)}`);
  });
  for (const what of ['versions', 'suites', 'groups'] as const) {
    const [wanted, got] = [describe(own[what]), describe(offered[what])];
    if (wanted !== got) {
      throw loadFailure(
        'negotiation-mismatch',
        `The mosquitto clients offer the ${what} ${got} where the Trial asks for ${wanted}.`,
      );
    }
  }
  return offered;
}

/** As TLS writes them: "0x1301". */
function describe(numbers: readonly number[]): string {
  if (numbers.length === 0) return 'none';
  return numbers.map((number) => `0x${number.toString(16).padStart(4, '0')}`).join(', ');
}
