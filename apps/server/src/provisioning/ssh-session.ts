import { connect as connectSocket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { Failure } from '@mqttlab/shared/kit/failure';
import { type Config, NodeSSH } from 'node-ssh';
import { Client, type ClientChannel } from 'ssh2';
import {
  type CommandResult,
  commandFailed,
  connectionLost,
  hostKeyChanged,
  toConnectError,
} from './device-errors.ts';
import { algorithmsFor, type HostKey, parseHostKey, type SshAddress, type SshLogin } from './ssh-host.ts';

interface SshOptions extends SshAddress {
  login: SshLogin;
  /** The only accepted host key. */
  hostKey: HostKey;
  timeoutMs?: number;
  /** Abandons the attempt. */
  signal?: AbortSignal;
}

export interface CommandInput {
  /** Written to the command's standard input, which is then closed. */
  input?: string | Readable;
  /** Time in ms after which the command counts as failed. */
  timeoutMs?: number;
}

const connectTimeoutMs = 15_000;
const commandTimeoutMs = 60_000;
/** Interval of keepalives, in ms. A device that does not respond to three of them is disconnected. */
const keepaliveMs = 5_000;
/** Maximum output of a command; no expected output is longer. */
const maxOutputBytes = 1_000_000;

/**
 * Reads the host key without logging in. Rejects with Failure. Uses ssh2 directly, because node-ssh does not
 * handle an error that follows the key, and here an error always follows.
 */
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
        // Rejected because only the key is needed.
        return false;
      },
    });
  });
}

/**
 * A session with a device whose host key is pinned. Commands are lists of words, never shell text from other
 * sources.
 */
export class SshSession {
  readonly #ssh: NodeSSH;
  /** The ssh2 client, which node-ssh drops as soon as the other end disconnects. */
  readonly #client: Client;
  /** Address of this machine as the device sees it. */
  readonly localAddress: string;
  #open = true;
  readonly #closed: Promise<void>;

  private constructor(ssh: NodeSSH, client: Client, localAddress: string) {
    this.#ssh = ssh;
    this.#client = client;
    this.localAddress = localAddress;
    this.#closed = new Promise((resolve) =>
      client.once('close', () => {
        this.#open = false;
        resolve();
      }),
    );
  }

  /** Connects and logs in. Rejects with Failure: 'host-key-changed' before any secret was sent. */
  static async connect(options: SshOptions): Promise<SshSession> {
    const { host, port, login, hostKey, timeoutMs = connectTimeoutMs, signal } = options;
    signal?.throwIfAborted();
    const ssh = new NodeSSH();
    const socket = connectSocket({ host, port, noDelay: true });
    let refusal: Failure | null = null;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('Timed out')), timeoutMs);
    // Active until the session ends. Later errors cause "close", which every user of the session receives.
    socket.on('error', late.reject);
    late.promise.catch(() => {});
    const abandon = (): void => late.reject(new Error('Connection closed'));
    signal?.addEventListener('abort', abandon, { once: true });
    const config: Config = {
      sock: socket,
      username: login.user,
      readyTimeout: timeoutMs,
      keepaliveInterval: keepaliveMs,
      algorithms: {
        serverHostKey: algorithmsFor(hostKey) as never,
        // Prefers the ciphers of OpenSSL, which are faster: most of an installation is spent on copying the
        // runtime.
        cipher: { prepend: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com'], append: [], remove: [] },
      },
      hostVerifier: (blob: Buffer) => {
        if (blob.equals(hostKey.blob)) return true;
        refusal = hostKeyChanged({ host, port, pinned: hostKey, shown: blob });
        return false;
      },
      ...(login.kind === 'password' ? { password: login.password } : privateKeyOf(login)),
    };
    const connecting = ssh.connect(config);
    const client = ssh.connection;
    client?.on('error', late.reject);
    try {
      await Promise.race([connecting, late.promise]);
      if (client === null) throw new Error('Connection closed');
      return new SshSession(ssh, client, socket.localAddress ?? '');
    } catch (error) {
      client?.destroy();
      socket.destroy();
      throw refusal ?? toConnectError(error as Error, { host, port, login });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abandon);
    }
  }

  get open(): boolean {
    return this.#open;
  }

  /** Resolves when either end has closed the session. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Like `run`; also rejects with Failure if the program fails. */
  async mustRun(words: readonly string[], input: CommandInput = {}): Promise<CommandResult> {
    const result = await this.run(words, input);
    if (result.code !== 0) throw commandFailed(words, result);
    return result;
  }

  /** Runs a program with these arguments; rejects with Failure if the session breaks or the timeout expires. */
  async run(
    words: readonly string[],
    { input = '', timeoutMs = commandTimeoutMs }: CommandInput = {},
  ): Promise<CommandResult> {
    const command = quoteShell(words);
    const broken = Promise.withResolvers<never>();
    let channel: ClientChannel | null = null;
    const endRuns = (why?: string): void => {
      broken.reject(connectionLost(why));
      channel?.destroy();
    };
    void this.#closed.then(() => endRuns());
    const timer = setTimeout(() => endRuns(`no answer within ${timeoutMs / 1000} s`), timeoutMs);
    if (typeof input !== 'string') input.once('error', (error) => endRuns(error.message));
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) endRuns(`more than ${maxOutputBytes / 1e6} MB of output`);
    };
    try {
      const executing = this.#ssh.execCommand(command, {
        stdin: input,
        noTrim: true,
        // A character may be split across two chunks.
        encoding: 'latin1',
        onStdout: count,
        onStderr: count,
        onChannel: (made) => {
          channel = made;
          // If a program exits before it has read all input, its exit code shows why.
          made.on('error', () => {});
        },
      });
      const { code, signal, stdout, stderr } = await Promise.race([
        executing.catch((error: Error) => Promise.reject(connectionLost(error.message))),
        broken.promise,
      ]);
      if (code === null && signal === null) throw connectionLost();
      return { code, stdout: toUtf8(stdout), stderr: toUtf8(stderr) };
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Forwards connections to the returned port on the device's loopback to this process. Rejects with Failure
   * if the device's sshd does not allow that.
   */
  async forwardFromDevice(onConnection: (stream: Duplex) => void): Promise<number> {
    const listening = this.#ssh.forwardIn('127.0.0.1', 0, (_details, accept) => onConnection(accept()));
    const { port } = await listening.catch((error: Error) => {
      throw new Failure({
        code: 'forward-refused',
        message: `The device's sshd does not forward ports (${error.message}).`,
        remedy:
          'Set "AllowTcpForwarding yes" in its sshd_config, or open this server to the network with HOST.',
      });
    });
    return port;
  }

  /** Idempotent. */
  end(): void {
    this.#open = false;
    this.#ssh.dispose();
    // A disconnected device does not respond to the disconnect.
    setTimeout(() => this.#client.destroy(), 1_000).unref();
  }
}

function privateKeyOf({ privateKey, passphrase }: Extract<SshLogin, { kind: 'key' }>) {
  return { privateKey, ...(passphrase === undefined ? {} : { passphrase }) };
}

function toUtf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

/**
 * Returns words as one line for a POSIX shell. Each word is in single quotes, within which only the quote
 * itself has a special meaning (POSIX.1-2024 section 2.2.2). Throws for words that cannot be arguments.
 */
export function quoteShell(words: readonly string[]): string {
  return words
    .map((word) => {
      if (word.includes('\0')) throw new RangeError('an argument cannot contain a NUL character');
      return `'${word.replaceAll("'", `'\\''`)}'`;
    })
    .join(' ');
}
