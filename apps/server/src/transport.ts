import { createServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type Config, isLoopbackHost } from './base/config.ts';
import {
  makeServerCertificate,
  readServerCertificate,
  type ServerCertificate,
} from './pki/server-certificate.ts';

export interface Transport {
  server: Server;
  /** PEM that agents hold the server to; null without TLS. */
  pinned: string | null;
  /** Whether other machines can dial it themselves. */
  isOpen: boolean;
  /** What whoever starts the server has to know. */
  words: string[];
  stop(): void;
}

/** A certificate that ends soon, or a file that was renewed, is taken up while the server runs. */
const renewMs = 6 * 3_600_000;

/** HTTP or HTTPS as configured, not yet listening. Rejects with StartError where certificate files cannot be used. */
export async function openTransport(
  config: Config,
  { onTrouble }: { onTrouble: (error: unknown) => void },
): Promise<Transport> {
  const { transport, loopback } = config;
  if (transport.kind === 'plain' || transport.kind === 'proxy') {
    const server = createServer();
    if (transport.kind === 'proxy') server.on('connection', admitOnly(transport.addresses));
    const isOpen = !loopback && transport.kind === 'plain';
    const isUnnamed = transport.kind === 'proxy' && config.proxyHeader === null;
    const words = [...(isOpen ? [risk] : []), ...(isUnnamed ? [sharedLimit] : [])];
    return { server, pinned: null, isOpen, words, stop: () => undefined };
  }
  const open = (): Promise<ServerCertificate> =>
    transport.kind === 'files'
      ? readServerCertificate(transport)
      : makeServerCertificate({
          folder: join(config.dataFolder, 'tls'),
          names: [...config.hostnames, ...(/^(0\.0\.0\.0|::)$/.test(config.host) ? [] : [config.host])],
          nowMs: Date.now(),
        });
  const first = await open();
  const server = createHttpsServer({ cert: first.chain, key: first.key, minVersion: 'TLSv1.2' });
  const renewal = setInterval(() => {
    open().then(
      ({ chain, key }) => server.setSecureContext({ cert: chain, key, minVersion: 'TLSv1.2' }),
      onTrouble,
    );
  }, renewMs);
  renewal.unref();
  return {
    server,
    pinned: first.pinned,
    isOpen: !loopback,
    words: wordsOf(first),
    stop: () => clearInterval(renewal),
  };
}

const risk =
  'MQTTLAB_INSECURE_HTTP=yes: passwords, tokens, and the keys of brokers and payloads cross the network in clear; whoever can listen there can take over this server and its devices.';

const sharedLimit =
  'MQTTLAB_PROXY_HEADER is not set, so all clients of the proxy share one limit for wrong passwords.';

function wordsOf({ fingerprint, authority }: ServerCertificate): string[] {
  const own = `Its certificate has the SHA-256 fingerprint ${fingerprint}`;
  if (authority === null) return [`${own}.`];
  return [
    `${own}. Compare it before you trust it in a browser,`,
    `or import its authority ${authority.path} (SHA-256 ${authority.fingerprint}).`,
  ];
}

/** Everybody else's connection is closed before a byte of it is read. */
function admitOnly(addresses: readonly string[]): (socket: Socket) => void {
  return (socket) => {
    const peer = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
    const isOwn = isLoopbackHost(peer) || socket.remoteAddress === socket.localAddress;
    if (!isOwn && !addresses.includes(peer)) socket.destroy();
  };
}
