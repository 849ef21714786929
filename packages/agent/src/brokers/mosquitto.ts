import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { BrokerReady } from '@mqttlab/shared/messages/agent';
import { OwnedChild } from '../children/owned-child.ts';
import { RunFailure, reasonOf } from '../runs/run-failure.ts';
import type { Broker, BrokerOptions } from './broker.ts';
import { diffieHellmanParameters } from './ffdhe.ts';
import {
  makeMosquittoConfiguration,
  makeOpensslConfiguration,
  mosquittoFiles,
} from './mosquitto-configuration.ts';
import type { MosquittoInstallation } from './mosquitto-installation.ts';
import { serviceFiles } from './mosquitto-sessions.ts';
import { pickFreePort, waitForListener } from './port.ts';

const attempts = 3;
const startTimeoutMs = 10_000;
/** Mosquitto before 2.0 does not say when it has started: it is trusted when it still lives after this time. */
const silentStartMs = 300;
const keptLines = 20;
/** Mosquitto 2.0 looks for signals every 100 ms only; it has nothing to save, so it need not be waited for. */
const stopPatienceMs = 20;

/** Eclipse Mosquitto as a process of its own, configured for one Run. */
export class MosquittoBroker implements Broker {
  readonly #installation: MosquittoInstallation;
  readonly #options: BrokerOptions;
  readonly #pickPort: typeof pickFreePort;
  readonly #lines: string[] = [];
  #child: OwnedChild | null = null;
  #onLine = () => {};
  #configuration = '';
  #stopped = false;
  #listener: ((lastWords: string) => void) | null = null;

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

  onExit(listener: (lastWords: string) => void): void {
    this.#listener = listener;
  }

  async start(): Promise<BrokerReady> {
    await this.#writeFiles();
    for (let attempt = 1; ; attempt += 1) {
      const port = await this.#findPort();
      const ready = await this.#launch(port);
      if (ready !== null) return ready;
      const taken = this.#lines.some((line) => /address already in use/i.test(line));
      if (taken && attempt < attempts && !this.#stopped) continue;
      throw new RunFailure(taken ? this.#portTaken(port) : this.#startFailed());
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
      asksClients: (this.#options.tls?.clientAuthority ?? null) !== null,
    });
    await writeFile(files.configuration, this.#configuration, { mode: 0o600 });
    // Stopped while the file was written: what is not started need not be ended.
    if (this.#stopped) return null;
    this.#lines.length = 0;
    const [command = '', ...args] = [
      ...this.#installation.deathSignalCommand,
      ...this.#fileLimit(),
      this.#installation.binary,
      '-c',
      files.configuration,
    ];
    const child = new OwnedChild({
      command,
      args,
      environment: { OPENSSL_CONF: files.openssl },
      folder,
      onLine: (line) => this.#keep(line),
      patienceMs: stopPatienceMs,
      records,
    });
    this.#child = child;
    child.start();
    const giveUp = new AbortController();
    const timer = setTimeout(() => giveUp.abort(), startTimeoutMs);
    const ended = child.exit.catch((error) => this.#keep(reasonOf(error))).then(() => giveUp.abort());
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
    while (!patience.aborted && !this.#lines.some((line) => line.endsWith(' running'))) {
      await Promise.race([this.#nextLine(), once(patience, 'abort')]);
    }
  }

  #nextLine(): Promise<void> {
    return new Promise((resolve) => {
      this.#onLine = resolve;
    });
  }

  async #writeFiles(): Promise<void> {
    const { folder, spec, tls } = this.#options;
    const files = mosquittoFiles(folder);
    await writeFile(files.openssl, makeOpensslConfiguration(spec), { mode: 0o600 });
    if (tls === null) return;
    await writeFile(files.certificateChain, tls.certificateChain, { mode: 0o600 });
    await writeFile(files.privateKey, tls.privateKey, { mode: 0o600 });
    if (tls.clientAuthority) await writeFile(files.clientAuthority, tls.clientAuthority, { mode: 0o600 });
    await writeFile(files.diffieHellman, diffieHellmanParameters(spec.group), { mode: 0o600 });
  }

  async #findPort(): Promise<number> {
    try {
      return await this.#pickPort(this.#options.address);
    } catch (error) {
      throw new RunFailure({
        code: 'broker-start',
        message: `No port could be opened on ${this.#options.address}: ${reasonOf(error)}`,
        remedy: 'Check that the interface of this link is up and has that address.',
      });
    }
  }

  #keep(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > keptLines) this.#lines.shift();
    this.#onLine();
    this.#options.onLog(levelOf(line), line);
  }

  #tellExit(): void {
    if (!this.#stopped) this.#listener?.(this.#lastWords());
  }

  #lastWords(): string {
    return this.#lines.slice(-5).join(' | ');
  }

  #portTaken(port: number) {
    return {
      code: 'port-taken',
      message: `Mosquitto could not listen on ${this.#options.address}:${port}: ${this.#lastWords()}`,
      remedy: 'Another program took the port in between; start the Run again.',
    };
  }

  #startFailed() {
    return {
      code: 'broker-start',
      message: `Mosquitto did not start: ${this.#lastWords() || 'it said nothing'}`,
      remedy:
        'Read its words above; the certificate, the suite and the version asked for are the usual causes.',
    };
  }
}

/** Running as root is deliberate (it must read a key of mode 0600), so that warning is none. */
function levelOf(line: string): 'error' | 'warn' | 'info' {
  if (/^error/i.test(line)) return 'error';
  return /^warning/i.test(line) && !/should not be run as root/i.test(line) ? 'warn' : 'info';
}
