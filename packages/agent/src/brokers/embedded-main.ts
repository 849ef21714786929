import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, TLSSocket, type TlsOptions } from 'node:tls';
import { Aedes } from 'aedes';
import { createWebSocketStream, WebSocketServer } from 'ws';
import { cipherStringOf, diffieHellmanParameters } from '../tls/suites-and-groups.ts';
import { type EmbeddedListen, embeddedListenSchema, listenAsChild } from './embedded-listen.ts';
import { listenOnFreePort } from './ports.ts';

/** Options that lift the limits of aedes; names as in its manual. */
export const aedesOptions = {
  concurrency: 1_000,
  queueLimit: 65_535,
  maxInflightInbound: 0,
  maxClientsIdLength: 65_535,
};

/** OpenSSL's default, instead of Node's 300 s (SSL_CTX_set_timeout(3)). */
const ticketLifetimeS = 7_200;

/**
 * Runs the process of the embedded broker, which receives its address once over IPC and exits with the agent.
 */
export function runEmbeddedBroker(): void {
  listenAsChild(listen);
}

async function listen(message: unknown): Promise<number> {
  const wanted = embeddedListenSchema.parse(message);
  const broker = new Aedes(aedesOptions);
  await broker.listen();
  const agreed = new WeakMap<object, string>();
  broker.on('clientReady', ({ id, conn }) => say(`New client connected as ${id}${agreed.get(conn) ?? ''}`));
  broker.on('clientError', (client, error) => say(`Warning: client ${client.id}: ${error.message}`));
  broker.on('connectionError', (_client, error) => say(`Warning: connection: ${error.message}`));
  const serve = (stream: Duplex, socket: Socket): void => {
    agreed.set(stream, describeTls(socket));
    broker.handle(stream);
  };
  const isWebSocket = wanted.transport === 'websocket';
  const server = makeServer(
    wanted,
    isWebSocket ? await acceptWebSockets(serve) : (socket) => serve(socket, socket),
  );
  await listenOnFreePort(wanted, async (port) => {
    server.listen(port, wanted.address, 4_096);
    await once(server, 'listening');
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('No TCP port was assigned to the broker');
  return bound.port;
}

function makeServer(wanted: EmbeddedListen, onSocket: (socket: Socket) => void): Server {
  if (wanted.tls === null) return createServer({ noDelay: true }, onSocket);
  const server = createTlsServer({ noDelay: true, ...makeTlsOptions(wanted, wanted.tls) }, onSocket);
  server.on('tlsClientError', (error) => say(`Warning: handshake failed: ${error.message}`));
  return server;
}

/** Returns TLS options with version, suite and group pinned to those of the trial. */
function makeTlsOptions(wanted: EmbeddedListen, tls: NonNullable<EmbeddedListen['tls']>): TlsOptions {
  // Without this check, OpenSSL accepts a key of another kind than that of the certificate and fails only in
  // the first handshake.
  if (!new X509Certificate(tls.certificateChain).checkPrivateKey(createPrivateKey(tls.privateKey))) {
    throw new Error('the private key does not match the certificate');
  }
  const version = wanted.security === 'TLS 1.3' ? 'TLSv1.3' : 'TLSv1.2';
  return {
    cert: tls.certificateChain,
    key: tls.privateKey,
    minVersion: version,
    maxVersion: version,
    dhparam: diffieHellmanParameters(wanted.group),
    ...(wanted.cipherSuite === null ? {} : { ciphers: cipherStringOf(wanted.cipherSuite) }),
    ...(wanted.groupList === null ? {} : { ecdhCurve: wanted.groupList }),
    ...(tls.clientAuthority === null
      ? {}
      : { ca: tls.clientAuthority, requestCert: true, rejectUnauthorized: true }),
    sessionTimeout: ticketLifetimeS,
  };
}

/**
 * Returns the negotiated TLS parameters on the broker's side. Call it immediately, because a closed socket
 * does not have them.
 */
function describeTls(socket: Socket): string {
  return socket instanceof TLSSocket ? `, ${socket.getProtocol()} ${socket.getCipher().name}` : '';
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Turns WebSocket connections into MQTT streams, with or without TLS below them (MQTT 5 section 6). No
 * compression: no broker offers it, and its savings would hide the cost of the security level.
 */
async function acceptWebSockets(
  onStream: (stream: Duplex, socket: Socket) => void,
): Promise<(socket: Socket) => void> {
  // Imported here, because all processes of the agent share one file, and an import of node:http loads a lot
  // of code.
  const { createServer: createHttpServer } = await import('node:http');
  const http = createHttpServer((_request, response) => response.writeHead(426).end());
  const webSockets = new WebSocketServer({
    server: http,
    perMessageDeflate: false,
    // mqtt.js requests the second subprotocol for MQTT 3.1.
    handleProtocols: (protocols) => ['mqtt', 'mqttv3.1'].find((name) => protocols.has(name)) ?? false,
  });
  webSockets.on('connection', (webSocket, request) => {
    onStream(createWebSocketStream(webSocket), request.socket);
  });
  return (socket) => {
    http.emit('connection', socket);
  };
}
