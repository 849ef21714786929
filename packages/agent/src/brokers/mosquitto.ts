import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import type { BrokerReady } from '@mqttlab/shared/messages/agent';
import { waitForListener } from '../base/tcp-tables.ts';
import { aesEnvironment } from '../tls/aes-instructions.ts';
import { diffieHellmanParameters } from '../tls/suites-and-groups.ts';
import type { Broker, BrokerOptions } from './broker.ts';
import {
  makeBrokerOpensslConfiguration,
  makeMosquittoConfiguration,
  makePasswordFile,
  mosquittoFiles,
  serviceFiles,
} from './mosquitto-configuration.ts';

const attempts = 3;
const startTimeoutMs = 10_000;
/** Mosquitto before 2.0 does not say when it has started: it is trusted when it still lives after this time. */
const silentStartMs = 300;
/** Mosquitto 2.0 looks for signals every 100 ms only; it has nothing to save, so it need not be waited for. */
const killAfterMs = 20;

/** What of Mosquitto there is on this device. */
export interface MosquittoInstallation {
  binary: string;
  version: string;
  /** For example "OpenSSL 3.0.17". */
  tlsLibrary: string;
  /** Command put before it so that the kernel ends it with the agent; empty where util-linux is too old. */
  deathSignalCommand: readonly string[];
  /** Command put before it that lets it open no more files than a service may; empty without prlimit(1). */
  fileLimitCommand: readonly string[];
}

/** Eclipse Mosquitto as a process of its own, configured for one Run. */
export class MosquittoBroker implements Broker {
  readonly #installation: MosquittoInstallation;
  readonly #options: BrokerOptions;
  readonly #pickPort: typeof pickFreePort;
  #child: ManagedChild | null = null;
  #onLine = () => {};
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

  /** null when the process ended before its port accepted. */
  async #launch(port: number): Promise<BrokerReady | null> {
    if (this.#stopped) return null;
    const { address, folder, records } = this.#options;
    const files = mosquittoFiles(folder);
    this.#configuration = makeMosquittoConfiguration({
      ...this.#options,
      port,
      asRoot: process.getuid?.() === 0,
      encrypted: this.#options.tls !== null,
      asksLogin: Boolean(this.#options.entrance),
      asksClients: (this.#options.tls?.clientAuthority ?? null) !== null,
    });
    await writeFile(files.configuration, this.#configuration, { mode: 0o600 });
    // Stopped while the file was written: what is not started need not be ended.
    if (this.#stopped) return null;
    const [command = '', ...args] = [
      ...this.#installation.deathSignalCommand,
      ...this.#fileLimit(),
      this.#installation.binary,
      '-c',
      files.configuration,
    ];
    const child = new ManagedChild({
      command,
      args,
      environment: { OPENSSL_CONF: files.openssl, ...aesEnvironment(this.#options.spec) },
      folder,
      onLine: (line) => this.#hear(line),
      killAfterMs,
      records,
    });
    this.#child = child;
    child.start();
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), startTimeoutMs);
    const ended = child.exit.catch((error) => this.#hear(reasonOf(error))).then(() => giveUp.abort());
    const { pid } = child;
    const listening = pid !== null && (await waitForListener(pid, port, giveUp.signal));
    if (listening) await this.#waitUntilRunning(giveUp.signal);
    clearTimeout(timer);
    if (!listening || giveUp.signal.aborted) {
      await child.stop();
      return null;
    }
    void ended.then(() => this.#tellExit());
    return { address, port, kind: 'mosquitto', version: this.#installation.version, pid };
  }

  /** A broker whose sessions are abused may open as many files as a service. */
  #fileLimit(): readonly string[] {
    return this.#options.spec.workload === 'availability' ? this.#installation.fileLimitCommand : [];
  }

  /** It listens before it reads certificates and keys; "running" is the last that it says while it starts. */
  async #waitUntilRunning(giveUp: AbortSignal): Promise<void> {
    const patience = AbortSignal.any([giveUp, AbortSignal.timeout(silentStartMs)]);
    while (!patience.aborted && !this.#child?.lines.some((line) => line.endsWith(' running'))) {
      await Promise.race([this.#nextLine(), once(patience, 'abort')]);
    }
  }

  #nextLine(): Promise<void> {
    return new Promise((resolve) => {
      this.#onLine = resolve;
    });
  }

  async #writeFiles(): Promise<void> {
    const { folder, spec, tls, entrance } = this.#options;
    const files = mosquittoFiles(folder);
    if (entrance) await writeFile(files.passwords, makePasswordFile(entrance.logins), { mode: 0o600 });
    await writeFile(files.openssl, makeBrokerOpensslConfiguration(spec), { mode: 0o600 });
    if (tls === null) return;
    await writeFile(files.certificateChain, tls.certificateChain, { mode: 0o600 });
    await writeFile(files.privateKey, tls.privateKey, { mode: 0o600 });
    if (tls.clientAuthority) await writeFile(files.clientAuthority, tls.clientAuthority, { mode: 0o600 });
    await writeFile(files.diffieHellman, diffieHellmanParameters(spec.group), { mode: 0o600 });
  }

  async #findPort(): Promise<number> {
    if (this.#options.entrance) return this.#options.entrance.port;
    try {
      return await this.#pickPort(this.#options.address);
    } catch (error) {
      throw new Failure({
        code: 'broker-start',
        message: `No port could be opened on ${this.#options.address}: ${reasonOf(error)}`,
        remedy: 'Check that the interface of this link is up and has that address.',
      });
    }
  }

  #hear(line: string): void {
    this.#onLine();
    this.#options.onLog(levelOf(line), line);
  }

  #tellExit(): void {
    if (!this.#stopped) this.#listener?.(this.#lastLines);
  }

  get #lastLines(): string {
    return this.#child?.lastLines ?? '';
  }

  #portTaken(port: number) {
    return {
      code: 'port-taken',
      message: `Mosquitto could not listen on ${this.#options.address}:${port}: ${this.#lastLines}`,
      remedy: this.#options.entrance
        ? 'End the program that has this port, or choose another for the external device on the Devices page.'
        : 'Another program took the port meanwhile; start the run again.',
    };
  }

  #startFailed() {
    return {
      code: 'broker-start',
      message: `Mosquitto did not start: ${this.#lastLines || 'no output'}`,
      remedy:
        'See its output above; the certificate, the suite and the version asked for are the usual causes.',
    };
  }
}

/** Running as root is deliberate (it must read a key of mode 0600), so that warning is none. */
function levelOf(line: string): 'error' | 'warn' | 'info' {
  if (/^error/i.test(line)) return 'error';
  return /^warning/i.test(line) && !/should not be run as root/i.test(line) ? 'warn' : 'info';
}

/** A TCP port that nobody uses on that address right now; throws the system's error when the address is not ours. */
export async function pickFreePort(address: string): Promise<number> {
  const server = createServer();
  server.listen(0, address);
  await once(server, 'listening');
  const bound = server.address();
  server.close();
  await once(server, 'close');
  if (bound === null || typeof bound === 'string') throw new Error(`No port on ${address}`);
  return bound.port;
}
