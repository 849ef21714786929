import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { reconnects } from '@mqttlab/shared/catalogue/workloads';
import type { TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import type { AgentClient, TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RoleFailure } from '@mqttlab/shared/domain/runs/role-result';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import type { PrepareClient } from '@mqttlab/shared/messages/agent';
import type { ProgramEntry } from '../brokers/broker.ts';
import type { PrepareWorker } from '../load/worker-messages.ts';
import type { ChildRecords } from '../processes/child-records.ts';
import { type LoadFailureCode, makeLoadFailure } from '../processes/failures.ts';
import { makeContextOptions, makeOpensslConfiguration } from '../tls/connect-options.ts';
import { cipherStringOf, groupListOf, isTls13Suite, needsLevelZero } from '../tls/suites-and-groups.ts';
import { confirmation } from './text-lines.ts';

type Role = PrepareClient['role'];

/**
 * Describes how to start the clients of one run, with one process per connection. A publisher sends each line
 * of its standard input as one message; it exits when the input has ended and every message is acknowledged.
 * A subscriber prints each message as one line.
 */
export interface ClientProgram {
  command: (role: Role, endpoint: PrepareClient['broker'], clientId: string) => string[];
  environment: Record<string, string>;
  /**
   * True if the first line that a client prints is the negotiated connection as JSON (`ReportedConnection`).
   */
  reportsConnection: boolean;
}

interface ClientProgramOptions {
  command: PrepareWorker;
  /** Folder of the run, for private files with mode 0600. */
  folder: string;
  /** Command that starts this agent. */
  entry: ProgramEntry;
}

/** A client engine that is a separate program. */
export interface ClientKind {
  /** Name of one client process within a sentence: "A mosquitto client ended". */
  name: string;
  /** Returns null if the program is missing on this device or too old. */
  find: () => Promise<{ version: string; tls: TlsCapability | null } | null>;
  /** Rejects with Failure. */
  prepare: (options: ClientProgramOptions) => Promise<ClientProgram>;
}

export type ProcessEngine = Exclude<AgentClient, 'native'>;

interface ClientProcessOptions {
  /** Command including its prefix: setpriv(1) ends the client when its parent exits. */
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  records: ChildRecords;
  onData: (chunk: Buffer) => void;
  /** Called if the client exits without `finish` or `stop`. */
  onLost: (why: string) => void;
}

/** One client process, from start to exit. */
export class ClientProcess {
  readonly #child: ManagedChild;
  #ending = false;

  constructor(options: ClientProcessOptions) {
    const { environment, records, onData, onLost } = options;
    const [command = '', ...args] = options.command;
    const child = new ManagedChild({
      command,
      args,
      environment,
      records,
      inputDescriptor: 0,
      stdout: 'stream',
      killAfterMs: 0,
    });
    this.#child = child;
    child.start();
    child.output.on('data', onData);
    void this.#exitCode().then((code) => {
      if (!this.#ending) onLost(child.lastLines || `it exited with code ${code}`);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdin(): Writable {
    return this.#child.input;
  }

  /**
   * Lets the client send pending messages and disconnect. Resolves with the exit code, or null if the client
   * had to be killed.
   */
  async finish(killAfterMs: number): Promise<number | null> {
    this.#ending = true;
    this.stdin.end();
    await this.#child.stop(null, killAfterMs);
    return this.#exitCode();
  }

  /** Sends SIGTERM, which makes the client disconnect. Idempotent, never rejects. */
  async stop(killAfterMs: number): Promise<void> {
    this.#ending = true;
    await this.#child.stop('SIGTERM', killAfterMs);
  }

  /** Resolves with the exit code; null if the client was killed by a signal or never started. */
  async #exitCode(): Promise<number | null> {
    return this.#child.exit.then(
      ({ code }) => code,
      () => null,
    );
  }
}

const failureCodes: readonly [RegExp, LoadFailureCode][] = [
  [/TLS|SSL|certificate|protocol error/i, 'tls-handshake'],
  [/not authori[sz]ed|bad user name|(unacceptable|unsupported) protocol|denied/i, 'connack-refused'],
  [/refused|unreachable|lookup/i, 'connection-refused'],
];

/** Returns the failure described by a client's last lines. */
export function clientFailure(name: string, why: string): RoleFailure {
  const code = failureCodes.find(([pattern]) => pattern.test(why))?.[1] ?? 'connection-lost';
  return makeLoadFailure(code, `The ${name} did not connect: ${why}`);
}

/**
 * Writes a configuration file for programs that use OpenSSL but have no options to pin the suite or the
 * group. `variables` refer them to the file; `cipherString` is for programs that set a cipher string
 * themselves.
 */
export async function writeOpensslConfiguration(
  spec: TrialSpec,
  folder: string,
): Promise<{ variables: Record<string, string>; cipherString: string }> {
  const path = join(folder, 'client-openssl.cnf');
  const suite = spec.cipherSuite;
  const cipherString = suite === null ? '' : cipherStringFor(suite);
  const lines = [
    ...(suite === null ? [] : [`CipherString = ${cipherString}`]),
    ...(suite !== null && isTls13Suite(suite) ? [`Ciphersuites = ${suite}`] : []),
  ];
  await writeFile(path, makeOpensslConfiguration(spec, groupListOf(spec), lines), { mode: 0o600 });
  return { variables: { OPENSSL_CONF: path }, cipherString };
}

function cipherStringFor(suite: string): string {
  if (!isTls13Suite(suite)) return cipherStringOf(suite);
  return `DEFAULT:@SECLEVEL=${needsLevelZero(suite) ? 0 : 2}`;
}

/**
 * Settings of the scripts for mqtt.js and paho-mqtt. They are passed in a file because they include the
 * password.
 */
export interface ScriptSettings {
  topic: string;
  qos: 0 | 1 | 2;
  /** Maximum unacknowledged messages. */
  window: number;
  /**
   * Text that a publisher prints for each completed message, so that no more than the window is written to
   * it.
   */
  confirmation: string | null;
  /** True if a publisher opens a connection for each message. */
  reconnects: boolean;
  mqttVersion: TrialSpec['mqttVersion'];
  transport: TrialSpec['transport'];
  keepAliveS: number;
  localAddress: string | null;
  credentials: { username: string; password: string } | null;
  tls: (ReturnType<typeof makeContextOptions> & { serverName: string }) | null;
}

/** Maximum keep-alive of MQTT, so that no ping is sent unless the workload requires one. */
const keepAliveS = 65_535;

/**
 * Returns true for load at maximum rate, at which a pipe would otherwise accept thousands of warm-up messages
 * before the first measured message.
 */
export function confirmsMessages({ role, spec }: Pick<PrepareClient, 'role' | 'spec'>): boolean {
  return role === 'publisher' && spec.readingsPerSecond === null && !reconnects(spec);
}

/** Writes the file with mode 0600; resolves with its path. */
export async function writeScriptSettings({ command, folder }: ClientProgramOptions): Promise<string> {
  const { spec, authority, serverName, certificate, credentials, localAddress = null } = command;
  const { topic, qos, window, mqttVersion, transport } = spec;
  const peer = { authority: authority ?? '', serverName, certificate };
  const tls = spec.security === 'plain' ? null : { ...makeContextOptions(spec, peer), serverName };
  const settings: ScriptSettings = {
    topic,
    qos,
    window,
    confirmation: confirmsMessages(command) ? confirmation : null,
    reconnects: command.role === 'publisher' && reconnects(spec),
    mqttVersion,
    transport,
    keepAliveS,
    localAddress,
    credentials,
    tls,
  };
  const path = join(folder, 'client.json');
  await writeFile(path, JSON.stringify(settings), { mode: 0o600 });
  return path;
}
