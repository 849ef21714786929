import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { Agent, createServer } from 'coap';
import { coapListenSchema } from '../../brokers/embedded.ts';
import { listenAsChild } from '../../brokers/embedded-listen.ts';
import { listenOnFreePort } from '../../brokers/ports.ts';

/** Binds a UDP socket; port 0 selects any free port. Rejects with the system's error. */
export async function openUdpSocket(address: string, port = 0): Promise<Socket> {
  const socket = createSocket({ type: isIPv6(address) ? 'udp6' : 'udp4', reuseAddr: false });
  socket.bind(port, address);
  try {
    await once(socket, 'listening');
  } catch (error) {
    socket.close();
    throw error;
  }
  return socket;
}

/** 2.04 Changed (RFC 7252 section 5.9.1.4): a server's response after it accepted a value. */
const changed = '2.04';

/**
 * Responds to every request on the socket immediately and without payload, so that the response is sent with
 * the acknowledgement (RFC 7252 section 5.2.1). A retransmitted request gets the same response. Returns a
 * function that stops it.
 */
export function answerRequests(socket: Socket): () => void {
  const server = createServer((_request, response) => {
    response.code = changed;
    response.end();
  });
  server.on('error', () => {});
  server.listen(socket);
  return () => {
    server.close();
    socket.close();
  };
}

const exchanges = 400;
const timeoutMs = 2_000;

/**
 * Makes several hundred exchanges within this process before the first measured exchange, so that client and
 * server compile their code, as the MQTT clients do. Never rejects.
 */
export async function rehearseCoap(): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  const address = '127.0.0.1';
  const [serverSocket, clientSocket] = await Promise.all([openUdpSocket(address), openUdpSocket(address)]);
  const stop = answerRequests(serverSocket);
  const agent = new Agent({ socket: clientSocket });
  const { port } = serverSocket.address();
  try {
    for (let i = 0; i < exchanges && performance.now() < deadlineMs; i += 1) {
      await exchange(agent, { port, confirmable: i % 2 === 0 });
    }
  } finally {
    stop();
    clientSocket.close();
  }
}

function exchange(
  agent: Agent,
  { port, confirmable }: { port: number; confirmable: boolean },
): Promise<void> {
  return new Promise((resolve) => {
    const request = agent.request({ hostname: '127.0.0.1', port, method: 'POST', confirmable });
    // On loopback, only a full buffer drops datagrams.
    const timer = setTimeout(() => {
      agent.abort(request);
      resolve();
    }, 100);
    request.on('error', () => {});
    request.on('response', () => {
      clearTimeout(timer);
      resolve();
    });
    request.end(Buffer.alloc(64));
  });
}

/** Runs the process of the CoAP server, which receives its address once over IPC and exits with the agent. */
export function runCoapServer(): void {
  listenAsChild(listen);
}

async function listen(message: unknown): Promise<number> {
  const place = coapListenSchema.parse(message);
  await rehearseCoap();
  const socket = await listenOnFreePort(place, (port) => openUdpSocket(place.address, port));
  answerRequests(socket);
  return socket.address().port;
}
