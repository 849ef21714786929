import { connect as connectSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client, type ClientChannel, type ConnectConfig } from 'ssh2';
import {
  type CommandResult,
  commandFailed,
  connectionLost,
  DeviceError,
  hostKeyChanged,
  toConnectError,
} from './device-errors.ts';
import { algorithmsFor, type HostKey, parseHostKey, type SshAddress, type SshLogin } from './ssh-host.ts';

interface SshOptions extends SshAddress {
  login: SshLogin;
  /** The only key that is accepted. */
  hostKey: HostKey;
  timeoutMs?: number;
}

export interface CommandInput {
  /** Written to its standard input, which then ends. */
  input?: string | NodeJS.ReadableStream;
  /** ms; then the command counts as failed. */
  timeoutMs?: number;
}

const connectTimeoutMs = 15_000;
const commandTimeoutMs = 60_000;
/** A device that says nothing for this long, three times, is gone. */
const keepaliveMs = 5_000;
/** Nothing that is asked for is longer. */
const maxOutputBytes = 1_000_000;

/** Connects just far enough to see the host key; nobody is logged in. Rejects with DeviceError. */
export function readHostKey({ host, port }: SshAddress): Promise<HostKey> {
  return new Promise((resolve, reject) => {
    const client = new Client();
    let seen: HostKey | null = null;
    client.on('error', (error) => {
      if (seen === null) reject(toConnectError(error, { host, port }));
    });
    client.on('close', () => {
      if (seen === null) reject(toConnectError(new Error('Connection closed'), { host, port }));
    });
    client.connect({
      host,
      port,
      username: 'mqttlab',
      readyTimeout: connectTimeoutMs,
      algorithms: { serverHostKey: algorithmsFor(null) as never },
      hostVerifier: (blob: Buffer) => {
        seen = parseHostKey(blob);
        if (seen !== null) resolve(seen);
        // Turned away: the key is all that was wanted.
        return false;
      },
    });
  });
}

/** A session with a device whose host key is known. Commands are words, never shell text of somebody else. */
export class SshSession {
  readonly #client: Client;
  /** Address of this machine as the device sees it. */
  readonly localAddress: string;
  #open = true;
  readonly #closed: Promise<void>;

  private constructor(client: Client, localAddress: string) {
    this.#client = client;
    this.localAddress = localAddress;
    this.#closed = new Promise((resolve) =>
      client.once('close', () => {
        this.#open = false;
        resolve();
      }),
    );
  }

  /** Rejects with DeviceError: 'host-key-changed' before anything secret was sent. */
  static connect(options: SshOptions): Promise<SshSession> {
    const { host, port, login, hostKey, timeoutMs = connectTimeoutMs } = options;
    return new Promise((resolve, reject) => {
      const client = new Client();
      const socket = connectSocket({ host, port, noDelay: true });
      let refusal: DeviceError | null = null;
      const fail = (error: Error): void => {
        clearTimeout(timer);
        client.destroy();
        socket.destroy();
        reject(refusal ?? toConnectError(error, { host, port, login }));
      };
      const timer = setTimeout(() => fail(new Error('Timed out')), timeoutMs);
      // For as long as they live: what goes wrong later ends in "close", which every user of the session hears.
      socket.on('error', fail);
      client.on('error', fail);
      client.once('close', () => fail(new Error('Connection closed')));
      client.once('ready', () => {
        clearTimeout(timer);
        resolve(new SshSession(client, socket.localAddress ?? ''));
      });
      const config: ConnectConfig = {
        sock: socket,
        username: login.user,
        readyTimeout: timeoutMs,
        keepaliveInterval: keepaliveMs,
        algorithms: {
          serverHostKey: algorithmsFor(hostKey) as never,
          // Those that OpenSSL computes come first: copying the runtime is the longest part of an installation.
          cipher: { prepend: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'], append: [], remove: [] },
        },
        hostVerifier: (blob: Buffer) => {
          if (blob.equals(hostKey.blob)) return true;
          refusal = hostKeyChanged({ host, port, pinned: hostKey, shown: blob });
          return false;
        },
        ...(login.kind === 'password' ? { password: login.password } : privateKeyOf(login)),
      };
      try {
        client.connect(config);
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  get open(): boolean {
    return this.#open;
  }

  /** Resolves when the session is over, whoever ended it. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** As `run`; rejects with DeviceError also when the program fails. */
  async mustRun(words: readonly string[], input: CommandInput = {}): Promise<CommandResult> {
    const result = await this.run(words, input);
    if (result.code !== 0) throw commandFailed(words, result);
    return result;
  }

  /** Runs a program with these words; rejects with DeviceError when the session breaks or time is over. */
  async run(words: readonly string[], { input = '', timeoutMs = commandTimeoutMs }: CommandInput = {}) {
    const { channel, ended } = await this.#channel(quoteShell(words));
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      channel.destroy();
    }, timeoutMs);
    try {
      return await talk({ channel, ended }, input);
    } catch (error) {
      throw late ? connectionLost(`no answer within ${timeoutMs / 1000} s`) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Connections to the returned port of the device's loopback come out here. Rejects with DeviceError where its sshd
   * does not allow that.
   */
  forwardFromDevice(onConnection: (stream: Duplex) => void): Promise<number> {
    this.#client.on('tcp connection', (_details, accept) => onConnection(accept()));
    return new Promise((resolve, reject) => {
      this.#client.forwardIn('127.0.0.1', 0, (error, port) => {
        if (!error) resolve(port);
        else {
          reject(
            new DeviceError({
              code: 'forward-refused',
              message: `The sshd of the device does not forward ports (${error.message}).`,
              remedy:
                'Set "AllowTcpForwarding yes" in its sshd_config, or open this server to the network with HOST.',
            }),
          );
        }
      });
    });
  }

  /** Idempotent. */
  end(): void {
    this.#open = false;
    this.#client.end();
    // A device that is gone does not answer the good-bye.
    setTimeout(() => this.#client.destroy(), 1_000).unref();
  }

  #channel(command: string): Promise<RunningCommand> {
    return new Promise((resolve, reject) => {
      const lost = (): void => reject(connectionLost());
      if (!this.#open) {
        lost();
        return;
      }
      this.#client.once('close', lost);
      try {
        this.#client.exec(command, (error, channel) => {
          this.#client.off('close', lost);
          if (error) reject(connectionLost(error.message));
          // Now, for the end of the command may be in the same packet.
          else resolve({ channel, ended: whenEnded(channel) });
        });
      } catch {
        lost();
      }
    });
  }
}

function privateKeyOf({ privateKey, passphrase }: Extract<SshLogin, { kind: 'key' }>) {
  return { privateKey, ...(passphrase === undefined ? {} : { passphrase }) };
}

interface RunningCommand {
  channel: ClientChannel;
  /** Exit code, null after a signal, undefined where the session broke before. */
  ended: Promise<number | null | undefined>;
}

function whenEnded(channel: ClientChannel): RunningCommand['ended'] {
  return new Promise((resolve) => {
    let code: number | null | undefined;
    channel.once('exit', (given: number | null) => {
      code = given;
    });
    channel.once('close', () => resolve(code));
  });
}

async function talk(
  { channel, ended }: RunningCommand,
  input: string | NodeJS.ReadableStream,
): Promise<CommandResult> {
  const stdout = collect(channel);
  const stderr = collect(channel.stderr);
  const fed = typeof input === 'string' ? Promise.resolve(channel.end(input)) : pipeline(input, channel);
  // A program that ends before it has read everything says why with its exit code.
  const trouble = await Promise.race([fed, ended]).then(
    () => null,
    (error: Error) => error,
  );
  const code = await ended;
  if (code === undefined) throw connectionLost(trouble?.message);
  return { code, stdout: stdout(), stderr: stderr() };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const parts: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (data: Buffer) => {
    if (bytes < maxOutputBytes) parts.push(data);
    bytes += data.length;
  });
  return () => Buffer.concat(parts).toString('utf8');
}

/**
 * Words as one line for a POSIX shell, each of them in single quotes, where nothing has a meaning but the quote
 * itself (POSIX.1-2024 section 2.2.2). Throws for what no argument can hold.
 */
export function quoteShell(words: readonly string[]): string {
  return words
    .map((word) => {
      if (word.includes('\0')) throw new RangeError('an argument cannot hold a NUL character');
      return `'${word.replaceAll("'", `'\\''`)}'`;
    })
    .join(' ');
}
