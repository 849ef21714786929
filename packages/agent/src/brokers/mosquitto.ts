import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MqttTransport, MqttVersion, TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import { Changes, poll } from '@mqttlab/shared/kit/poll';
import { waitAtMost } from '@mqttlab/shared/kit/waiting';
import type { BrokerReady } from '@mqttlab/shared/messages/agent';
import { isListening } from '../processes/network.ts';
import { ask, findDeathSignalCommand, findProgram } from '../processes/programs.ts';
import { aesEnvironment } from '../tls/aes-instructions.ts';
import { makeOpensslConfiguration } from '../tls/connect-options.ts';
import { brokerGroupListOf, diffieHellmanParameters, needsLevelZero } from '../tls/suites-and-groups.ts';
import { probeOpensslTls } from '../tls/tls-library.ts';
import type { Broker, BrokerOffer, BrokerOptions } from './broker.ts';
import { pickFreePort } from './ports.ts';

const attempts = 3;
const startTimeoutMs = 10_000;
/**
 * Each check reads every TCP socket of the machine. Mosquitto 2.0 also reports when it has started, which
 * triggers an immediate check.
 */
const listenPollMs = 20;
/**
 * Mosquitto before 2.0 does not report its start: it counts as started if it is still running after this
 * time.
 */
const silentStartMs = 300;
/**
 * Mosquitto 2.0 checks for signals only every 100 ms. It has nothing to save, so mqttlab does not wait for
 * it.
 */
const killAfterMs = 20;

/** The Mosquitto installed on this device. */
interface MosquittoInstallation {
  binary: string;
  version: string;
  /** For example "OpenSSL 3.0.17". */
  tlsLibrary: string;
  /**
   * Command prefix that makes the kernel end Mosquitto when the agent exits; empty if util-linux is too old.
   */
  deathSignalCommand: readonly string[];
  /** Command prefix that sets the open-file limit to that of a system service; empty without prlimit(1). */
  fileLimitCommand: readonly string[];
}

/** Runs Eclipse Mosquitto as a child process, configured for one run. */
export class MosquittoBroker implements Broker {
  readonly #installation: MosquittoInstallation;
  readonly #options: BrokerOptions;
  readonly #pickPort: typeof pickFreePort;
  #child: ManagedChild | null = null;
  #configuration = '';
  #stopped = false;
  #listener: ((lastLines: string) => void) | null = null;

  constructor(
    installation: MosquittoInstallation,
    options: BrokerOptions,
    pickPort: typeof pickFreePort = pickFreePort,
  ) {
    this.#installation = installation;
    this.#options = options;
    this.#pickPort = pickPort;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  onExit(listener: (lastLines: string) => void): void {
    this.#listener = listener;
  }

  async start(): Promise<BrokerReady> {
    await this.#writeFiles();
    for (let attempt = 1; ; attempt += 1) {
      const port = await this.#findPort();
      const ready = await this.#launch(port);
      if (ready !== null) return ready;
      const taken = this.#child?.lines.some((line) => /address already in use/i.test(line)) === true;
      if (taken && attempt < attempts && !this.#stopped) continue;
      throw new Failure(taken ? this.#portTaken(port) : this.#startFailed());
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#child?.stop();
  }

  facts(): Record<string, string | number | boolean | null> {
    return {
      'broker.configuration': this.#configuration,
      'broker.binary': this.#installation.binary,
      ...(this.#fileLimit().length === 0 ? {} : { 'broker.openFiles': serviceFiles }),
      'broker.tlsLibrary': this.#installation.tlsLibrary,
      'broker.endsWithAgent': this.#installation.deathSignalCommand.length > 0,
    };
  }

  /** Resolves with null if the process exited before its port accepted connections. */
  async #launch(port: number): Promise<BrokerReady | null> {
    if (this.#stopped) return null;
    const { address, folder, records } = this.#options;
    const files = mosquittoFiles(folder);
    this.#configuration = makeMosquittoConfiguration({
      ...this.#options,
      port,
      asRoot: process.getuid?.() === 0,
      encrypted: this.#options.tls !== null,
      requiresLogin: Boolean(this.#options.fixedListener),
      requiresClientCertificate: (this.#options.tls?.clientAuthority ?? null) !== null,
    });
    await writeFile(files.configuration, this.#configuration, { mode: 0o600 });
    // Stopped while the file was being written: there is no process to end.
    if (this.#stopped) return null;
    const [command = '', ...args] = [
      ...this.#installation.deathSignalCommand,
      ...this.#fileLimit(),
      this.#installation.binary,
      '-c',
      files.configuration,
    ];
    const running = Promise.withResolvers<void>();
    const reports = new Changes();
    const child = new ManagedChild({
      command,
      args,
      environment: { OPENSSL_CONF: files.openssl, ...aesEnvironment(this.#options.spec) },
      folder,
      onLine: (line) => {
        if (line.endsWith(' running')) {
          running.resolve();
          reports.notify();
        }
        this.#log(line);
      },
      killAfterMs,
      records,
    });
    this.#child = child;
    child.start();
    const exited = new AbortController();
    const ended = child.exit.catch((error) => this.#log(reasonOf(error))).then(() => exited.abort());
    const { pid } = child;
    const timing = {
      everyMs: listenPollMs,
      changes: reports,
      timeoutMs: startTimeoutMs,
      signal: exited.signal,
    };
    const listening = pid !== null && (await poll(() => isListening(pid, port), timing));
    // Mosquitto listens before it reads certificates and keys; "running" is the last line of its start.
    if (listening) await waitAtMost(silentStartMs, Promise.race([running.promise, ended]));
    if (!listening || exited.signal.aborted) {
      await child.stop();
      return null;
    }
    void ended.then(() => this.#reportExit());
    return { address, port, kind: 'mosquitto', version: this.#installation.version, pid };
  }

  /**
   * Returns the command prefix that lets a broker under session abuse open as many files as a system service.
   */
  #fileLimit(): readonly string[] {
    return this.#options.spec.workload === 'availability' ? this.#installation.fileLimitCommand : [];
  }

  async #writeFiles(): Promise<void> {
    const { folder, spec, tls, fixedListener } = this.#options;
    const files = mosquittoFiles(folder);
    if (fixedListener)
      await writeFile(files.passwords, makePasswordFile(fixedListener.logins), { mode: 0o600 });
    await writeFile(files.openssl, makeBrokerOpensslConfiguration(spec), { mode: 0o600 });
    if (tls === null) return;
    await writeFile(files.certificateChain, tls.certificateChain, { mode: 0o600 });
    await writeFile(files.privateKey, tls.privateKey, { mode: 0o600 });
    if (tls.clientAuthority) await writeFile(files.clientAuthority, tls.clientAuthority, { mode: 0o600 });
    await writeFile(files.diffieHellman, diffieHellmanParameters(spec.group), { mode: 0o600 });
  }

  async #findPort(): Promise<number> {
    const { address, fixedListener, ports } = this.#options;
    if (fixedListener) return fixedListener.port;
    try {
      return await this.#pickPort(address, ports);
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw new Failure({
        code: 'broker-start',
        message: `No port could be opened on ${address}: ${reasonOf(error)}`,
        remedy: 'Check that the interface of this link is up and has that address.',
      });
    }
  }

  #log(line: string): void {
    this.#options.onLog(levelOf(line), line);
  }

  #reportExit(): void {
    if (!this.#stopped) this.#listener?.(this.#lastLines);
  }

  get #lastLines(): string {
    return this.#child?.lastLines ?? '';
  }

  #portTaken(port: number) {
    return {
      code: 'port-taken',
      message: `Mosquitto could not listen on ${this.#options.address}:${port}: ${this.#lastLines}`,
      remedy: this.#options.fixedListener
        ? 'Stop the program that uses this port, or choose another for the external device on the Devices page.'
        : 'Another program opened the port in the meantime; start the run again.',
    };
  }

  #startFailed() {
    return {
      code: 'broker-start',
      message: `Mosquitto did not start: ${this.#lastLines || 'no output'}`,
      remedy: 'See its output above. The usual causes are the certificate, the suite or the version.',
    };
  }
}

/**
 * Drops the warning about root: running as root is deliberate, because Mosquitto must read a key of mode
 * 0600.
 */
function levelOf(line: string): 'error' | 'warn' | 'info' {
  if (/^error/i.test(line)) return 'error';
  return /^warning/i.test(line) && !/should not be run as root/i.test(line) ? 'warn' : 'info';
}

/** Searches for Mosquitto on this device; returns null if no usable version is installed. */
export async function offerMosquitto(): Promise<BrokerOffer | null> {
  const binary = await findProgram('mosquitto');
  if (binary === null) return null;
  const [help, tls, deathSignalCommand, fileLimitCommand, speaksWebSocket] = await Promise.all([
    ask(binary, ['-h']),
    probeOpensslTls(binary),
    findDeathSignalCommand(),
    findFileLimitCommand(),
    probeWebSocket(binary),
  ]);
  const version = parseMosquittoVersion(help.stdout + help.stderr);
  if (version === null) return null;
  const installation: MosquittoInstallation = {
    binary,
    version,
    tlsLibrary: tls.library,
    deathSignalCommand,
    fileLimitCommand,
  };
  return {
    capability: {
      kind: 'mosquitto',
      version,
      mqttVersions: mqttVersionsOf(version),
      maximumPacketBytes: largestPacketBytes,
      transports: transportsOf(version, speaksWebSocket),
      // Added together with MQTT 5 (Mosquitto 1.6).
      sharedSubscriptions: mqttVersionsOf(version).includes('5.0'),
      clientCertificates: tls.suites.length > 0,
      // Mosquitto sets SSL_CTX_set_dh_auto(3), which overrides its option dhparamfile.
      choosesFiniteField: false,
      // Mosquitto leaves OpenSSL's tickets enabled and sets a session context, so both TLS versions resume.
      resumes: tls.suites.length > 0 ? ['TLS 1.2', 'TLS 1.3'] : [],
      tls,
    },
    make: (options) => new MosquittoBroker(installation, options),
  };
}

/** Parses "mosquitto version 2.0.11"; returns null for any other text. */
export function parseMosquittoVersion(text: string): string | null {
  return /mosquitto version (\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1] ?? null;
}

/** Returns the supported MQTT versions. Mosquitto 1.6 added MQTT 5, according to its ChangeLog. */
export function mqttVersionsOf(version: string): MqttVersion[] {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const five = major > 1 || (major === 1 && minor >= 6);
  return five ? ['3.1', '3.1.1', '5.0'] : ['3.1', '3.1.1'];
}

/**
 * Returns the usable transports. Versions before 2.0 have no Unix sockets, which a WebSocket-only
 * configuration needs.
 */
export function transportsOf(version: string, speaksWebSocket: boolean): MqttTransport[] {
  return speaksWebSocket && Number.parseInt(version, 10) >= 2 ? ['tcp', 'websocket'] : ['tcp'];
}

/**
 * Returns true if Mosquitto was built with libwebsockets. Otherwise it rejects this keyword before it reaches
 * the invalid line after it.
 */
async function probeWebSocket(binary: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'mqttlab-probe-'));
  try {
    const path = join(folder, 'mosquitto.conf');
    await writeFile(path, 'listener 1 127.0.0.1\nprotocol websockets\nmqttlab_probe\n');
    const { stdout, stderr } = await ask(binary, ['-c', path]);
    return /unknown configuration variable/i.test(stdout + stderr);
  } finally {
    // A file that remains in the temporary folder must not prevent the agent from starting.
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

/**
 * Sets RLIMIT_NOFILE through prlimit(1) of util-linux, because Node.js raises its own limit and children
 * inherit it.
 */
async function findFileLimitCommand(): Promise<readonly string[]> {
  const prlimit = await findProgram('prlimit');
  return prlimit === null ? [] : [prlimit, `--nofile=${serviceFiles}:${serviceFiles}`];
}

/**
 * Mosquitto 2.0 exits if its only listener is a WebSocket listener ("Unable to start any listening sockets"),
 * so an unused listener is added: a Unix socket in the run's folder.
 */
const besideWebSocket = 'listener 0 unused.sock';

interface MosquittoConfigurationOptions {
  spec: TrialSpec;
  address: string;
  port: number;
  folder: string;
  asRoot: boolean;
  encrypted: boolean;
  /** If present, clients must log in with an entry of `mosquittoFiles().passwords`. */
  requiresLogin: boolean;
  /**
   * If present, clients must present a certificate from the authority in `mosquittoFiles().clientAuthority`.
   */
  requiresClientCertificate: boolean;
}

/**
 * Returns the content of mosquitto.conf for one run (mosquitto.conf(5)). Nothing throttles: queues are
 * unlimited and the publisher sets the window, so that only the cost of the security level is measured.
 */
function makeMosquittoConfiguration(options: MosquittoConfigurationOptions): string {
  const { workload, connectionUse, transport } = options.spec;
  const isWebSocket = transport === 'websocket';
  const connectsOften =
    workload === 'availability' ||
    workload === 'handshake' ||
    workload === 'reconnect' ||
    connectionUse === 'one per message';
  const lines = [
    ...(options.asRoot ? ['user root'] : []),
    ...(isWebSocket ? [besideWebSocket] : []),
    `listener ${options.port} ${options.address}`,
    ...(isWebSocket ? ['protocol websockets'] : []),
    ...(options.requiresLogin
      ? ['allow_anonymous false', `password_file ${mosquittoFiles(options.folder).passwords}`]
      : ['allow_anonymous true']),
    'set_tcp_nodelay true',
    ...sessionLines(options.spec, options.folder),
    'sys_interval 0',
    'log_dest stderr',
    'log_timestamp false',
    ...['error', 'warning', 'notice', 'information'].map((type) => `log_type ${type}`),
    // Logging every connection would add to the cost of a connection.
    `connection_messages ${!connectsOften}`,
    ...(options.encrypted ? tlsLines(options) : []),
  ];
  return `${lines.join('\n')}\n`;
}

function tlsLines({ spec, folder, requiresClientCertificate }: MosquittoConfigurationOptions): string[] {
  const files = mosquittoFiles(folder);
  const lines = [`certfile ${files.certificateChain}`, `keyfile ${files.privateKey}`];
  if (requiresClientCertificate) lines.push(`cafile ${files.clientAuthority}`, 'require_certificate true');
  const suite = spec.cipherSuite;
  if (spec.security === 'TLS 1.3') {
    lines.push('tls_version tlsv1.3');
    if (suite !== null) lines.push(`ciphers_tls1.3 ${suite}`);
  } else {
    lines.push('tls_version tlsv1.2', `dhparamfile ${files.diffieHellman}`);
    if (suite !== null) lines.push(`ciphers ${suite}`);
  }
  return lines;
}

/**
 * Returns an entry in the format of mosquitto_passwd(1) version 2: PBKDF2 with SHA-512. The passwords are
 * random, so few iterations suffice.
 */
function makePasswordFile(logins: readonly { username: string; password: string }[]): string {
  const rounds = 101;
  const lines = logins.map(({ username, password }) => {
    const salt = randomBytes(12);
    const hash = pbkdf2Sync(password, salt, rounds, 64, 'sha512').toString('base64');
    return `${username}:$7$${rounds}$${salt.toString('base64')}$${hash}\n`;
  });
  return lines.join('');
}

/**
 * Returns an OpenSSL configuration, because mosquitto.conf can pin neither the group nor the highest version.
 */
function makeBrokerOpensslConfiguration(spec: TrialSpec): string {
  const weak = spec.cipherSuite !== null && needsLevelZero(spec.cipherSuite);
  return makeOpensslConfiguration(spec, brokerGroupListOf(spec), [
    `CipherString = DEFAULT:@SECLEVEL=${weak ? 0 : 2}`,
  ]);
}

function mosquittoFiles(
  folder: string,
): Record<
  | 'configuration'
  | 'openssl'
  | 'passwords'
  | 'certificateChain'
  | 'privateKey'
  | 'clientAuthority'
  | 'diffieHellman',
  string
> {
  return {
    configuration: join(folder, 'mosquitto.conf'),
    openssl: join(folder, 'openssl.cnf'),
    passwords: join(folder, 'passwords'),
    certificateChain: join(folder, 'certificate.pem'),
    privateKey: join(folder, 'private-key.pem'),
    clientAuthority: join(folder, 'client-authority.pem'),
    diffieHellman: join(folder, 'dh.pem'),
  };
}

/** Maximum MQTT packet size (MQTT 5 section 1.5.5): remaining length of four bytes. */
export const largestPacketBytes = 268_435_455;

/** Maximum number of unacknowledged messages per client: all 16-bit packet identifiers. */
const inflightMessages = 65_535;

/** Number of open files that systemd allows a service by default (DefaultLimitNOFILE, soft). */
const serviceFiles = 1024;

/**
 * Limits against session abuse (mosquitto.conf(5)), in the order of the file. The
 * keep-alive is the shortest possible, so that it takes effect within a run (after 15 s). `max_connections`
 * is below the number of files that the service can open.
 */
const hardening: readonly string[] = [
  'max_connections 500',
  'max_keepalive 10',
  'max_queued_messages 10',
  'max_queued_bytes 16384',
  'max_inflight_messages 10',
  'max_packet_size 65536',
  'persistent_client_expiration 1h',
];

/**
 * Returns the lines of mosquitto.conf about sessions and queues. Nothing throttles a load: queues are
 * unlimited and the publisher sets the window. For availability, they are a distribution's defaults with
 * persistence, and with or without limits.
 */
function sessionLines(
  { workload, brokerHardening }: Pick<TrialSpec, 'workload' | 'brokerHardening'>,
  folder: string,
): string[] {
  if (workload !== 'availability') {
    return [
      'persistence false',
      `max_inflight_messages ${inflightMessages}`,
      'max_queued_messages 0',
      `max_packet_size ${largestPacketBytes}`,
    ];
  }
  return [
    'persistence true',
    // Must end with a slash. The folder is deleted together with the run's folder.
    `persistence_location ${folder}/`,
    ...(brokerHardening === 'hardened' ? hardening : []),
  ];
}
