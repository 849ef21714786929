import { createServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type Config, isLoopbackHost } from './base/config.ts';
import { activateNextAuthority } from './pki/server-authority.ts';
import {
  makeServerCertificate,
  readServerCertificate,
  type ServerCertificate,
  stageAuthority,
} from './pki/server-certificate.ts';

export interface Transport {
  server: Server;
  /** Returns the PEM certificate that agents pin; null without TLS. */
  pinned(): string | null;
  /** Whether other machines can dial it themselves. */
  isOpen: boolean;
  /** What whoever starts the server has to know. */
  words: string[];
  /** Sentences for the operator about the certificate, also for the log of the page. */
  concerns: string[];
  /** null if the server has no authority that it could replace. */
  rotation: AuthorityRotation | null;
  stop(): void;
}

/** Replaces the server's own authority in two steps, so that agents can be told in between. */
export interface AuthorityRotation {
  /** Makes the next authority. Returns its certificate, PEM. */
  stage(): Promise<string>;
  /** Serves a certificate of the next authority from now on. Open connections stay. */
  activate(): Promise<ServerCertificate>;
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
    const stop = () => undefined;
    return { server, pinned: () => null, isOpen, words, concerns: [], rotation: null, stop };
  }
  const own = () => ({
    folder: join(config.dataFolder, 'tls'),
    names: [...config.hostnames, ...(/^(0\.0\.0\.0|::)$/.test(config.host) ? [] : [config.host])],
    nowMs: Date.now(),
  });
  const open = (): Promise<ServerCertificate> =>
    transport.kind === 'files' ? readServerCertificate(transport) : makeServerCertificate(own());
  const first = await open();
  let current = first;
  const server = createHttpsServer({ cert: first.chain, key: first.key, minVersion: 'TLSv1.2' });
  const serve = async (): Promise<ServerCertificate> => {
    current = await open();
    server.setSecureContext({ cert: current.chain, key: current.key, minVersion: 'TLSv1.2' });
    return current;
  };
  const renewal = setInterval(() => void serve().catch(onTrouble), renewMs);
  renewal.unref();
  const rotation: AuthorityRotation = {
    stage: () => stageAuthority(own()),
    async activate() {
      await activateNextAuthority(own().folder);
      return serve();
    },
  };
  return {
    server,
    pinned: () => current.pinned,
    isOpen: !loopback,
    words: wordsOf(first),
    concerns: first.concerns,
    rotation: transport.kind === 'authority' ? rotation : null,
    stop: () => clearInterval(renewal),
  };
}

const risk =
  'MQTTLAB_INSECURE_HTTP=yes: passwords, tokens, and the keys of brokers and payloads cross the network in clear; whoever can listen there can take over this server and its devices.';

const sharedLimit =
  'MQTTLAB_PROXY_HEADER is not set, so all clients of the proxy share one limit for wrong passwords.';

function wordsOf({ fingerprint, authority, concerns }: ServerCertificate): string[] {
  const own = `Its certificate has the SHA-256 fingerprint ${fingerprint}`;
  if (authority === null) return [`${own}.`];
  return [
    `${own}. Compare it before you trust it in a browser,`,
    `or import the certificate of its authority, ${authority.path} (SHA-256 ${authority.fingerprint}).`,
    ...concerns,
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
