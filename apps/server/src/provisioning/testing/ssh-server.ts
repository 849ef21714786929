import { once } from 'node:events';
import ssh2, { type AuthContext, type Connection, type ServerChannel } from 'ssh2';
import { onTestFinished } from 'vitest';

import { makeKeyPair } from '../log-in.ts';

interface FakeSshOptions {
  users: Record<string, string>;
  /** Public keys, one per line, accepted for every user. */
  keys?: string[];
  hostKey?: string;
  /** Answer to a command; by default it exits with 0 and default output. */
  onCommand?: (command: string, channel: ServerChannel) => void;
  /** null refuses port forwarding. */
  forwardPort?: number | null;
  port?: number;
}

/** Starts a real SSH server in this process. It records all input, so that a test can look for secrets. */
export async function startSshServer(options: FakeSshOptions) {
  const hostKey = options.hostKey ?? makeHostKey();
  const commands: string[] = [];
  const attempts: string[] = [];
  const connections = new Set<Connection>();
  const server = new ssh2.Server({ hostKeys: [hostKey] }, (client) => {
    connections.add(client);
    client.on('error', () => undefined);
    client.on('close', () => connections.delete(client));
    client.on('authentication', (context) => {
      attempts.push(context.method);
      if (admits(options, context)) context.accept();
      else context.reject(['password', 'publickey']);
    });
    client.on('request', (accept, reject, name) => {
      if (name !== 'tcpip-forward' || options.forwardPort === null || options.forwardPort === undefined) {
        reject?.();
      } else accept?.(options.forwardPort);
    });
    client.on('session', (acceptSession) => {
      acceptSession().on('exec', (acceptCommand, _reject, { command }) => {
        commands.push(command);
        const channel = acceptCommand();
        (options.onCommand ?? sayAndEnd)(command, channel);
      });
    });
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    for (const client of connections) client.end();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(stop);
  const { port } = server.address() as { port: number };
  return { host: '127.0.0.1', port, hostKey, commands, attempts, connections, stop };
}

export function makeHostKey(): string {
  return makeKeyPair().private;
}

/** Sends everything in one write, so that the answer and its end are in one packet. */
function sayAndEnd(command: string, channel: ServerChannel): void {
  channel.write(command);
  channel.exit(0);
  channel.end();
}

function admits({ users, keys = [] }: FakeSshOptions, context: AuthContext): boolean {
  if (context.method === 'password') return users[context.username] === context.password;
  if (context.method !== 'publickey' || users[context.username] === undefined) return false;
  return keys.some((line) => {
    const key = ssh2.utils.parseKey(line);
    if (key instanceof Error || !context.key.data.equals(key.getPublicSSH())) return false;
    return (
      context.signature === undefined ||
      key.verify(context.blob ?? Buffer.alloc(0), context.signature, context.hashAlgo) === true
    );
  });
}
