import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Backoff } from '@mqttlab/shared/kit/backoff';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { ManagedChild } from '@mqttlab/shared/kit/managed-child';
import type { AgentIdentity } from './agent-link.ts';
import { type DeviceRows, issueAgentToken } from './agent-tokens.ts';
import { type DefinedDevice, localTestbed } from './testbeds.ts';

interface LocalTestbedOptions {
  devices: DeviceRows;
  /** Folder in which each agent gets its own subfolder. */
  folder: string;
  onLog: (level: 'info' | 'warn' | 'error', text: string) => void;
  program: AgentProgram;
}

export interface LocalTestbed {
  /**
   * Starts the agents. `server`: address for the agents, for example http://127.0.0.1:8080, followed by the
   * certificate to pin, PEM.
   */
  start(server: string): void;
  /** Changes the address for the next connection of running agents, in the same format as for `start`. */
  moveTo(server: string): void;
  /** Starts the agents of these devices that are waiting. */
  wake(deviceIds: readonly string[]): void;
  /** Stops the agents; resolves when every process has exited. */
  stop(): Promise<void>;
  /** Returns the process id of an agent; null while it is not running. */
  pidOf(deviceId: string): number | null;
}

export function makeLocalTestbed(options: LocalTestbedOptions): LocalTestbed {
  const agents = new Map<string, AgentProcess>();
  const serverFile = join(options.folder, 'server');
  let isStarted = false;
  const launch = (devices: readonly DefinedDevice[]): void => {
    for (const { deviceId, name, role } of devices) {
      if (!isStarted || agents.has(deviceId)) continue;
      const agent = makeAgent(options, { deviceId, name, role }, serverFile);
      agents.set(deviceId, agent);
      agent.start();
    }
  };
  const devices: readonly DefinedDevice[] = localTestbed.devices;
  const moveTo = (address: string): void => {
    mkdirSync(options.folder, { recursive: true });
    writeFileSync(serverFile, address);
  };
  return {
    moveTo,
    start(address) {
      moveTo(address);
      isStarted = true;
      launch(devices.filter(({ standIn }) => standIn === undefined));
    },
    wake: (deviceIds) => launch(devices.filter(({ deviceId }) => deviceIds.includes(deviceId))),
    async stop() {
      isStarted = false;
      await Promise.all([...agents.values()].map((agent) => agent.stop()));
      agents.clear();
    },
    pidOf: (deviceId) => agents.get(deviceId)?.pid ?? null,
  };
}

function makeAgent(options: LocalTestbedOptions, device: AgentIdentity, serverFile: string): AgentProcess {
  const { testbedId } = localTestbed;
  const token = issueAgentToken(options.devices, { ...device, testbedId });
  return new AgentProcess({
    name: device.name,
    program: options.program,
    args: [
      '--server-file',
      serverFile,
      '--name',
      device.deviceId,
      '--data',
      join(options.folder, device.deviceId),
    ],
    environment: { MQTTLAB_AGENT_TOKEN: token },
    onLog: options.onLog,
  });
}

interface AgentProcessOptions {
  name: string;
  program: AgentProgram;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  onLog: (level: 'info' | 'warn' | 'error', text: string) => void;
  /** Initial wait before a crashed agent is restarted, in ms; doubles up to `retryMostMs`. */
  retryMs?: number;
  retryMostMs?: number;
}

/** Time to clean up between SIGTERM and SIGKILL, in ms. */
const killAfterMs = 5_000;
/** An agent that has run for this long counts as started, in ms. */
const startedMs = 20_000;

/** One agent on this machine, which is restarted if it exits unexpectedly. */
export class AgentProcess {
  readonly #options: AgentProcessOptions;
  readonly #backoff: Backoff;
  #child: ManagedChild | null = null;
  #retry: NodeJS.Timeout | null = null;
  #running = false;

  constructor(options: AgentProcessOptions) {
    this.#options = options;
    const { retryMs: firstMs = 250, retryMostMs: longestMs = 10_000 } = options;
    this.#backoff = new Backoff({ firstMs, longestMs });
  }

  /** Process id; null while it is not running. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  start(): void {
    if (this.#running) return;
    this.#running = true;
    this.#spawn();
  }

  /** Stops the agent; resolves when its process has exited. Never rejects, idempotent. */
  async stop(): Promise<void> {
    this.#running = false;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#child?.stop();
  }

  #spawn(): void {
    const { program, args, environment } = this.#options;
    const startedAt = Date.now();
    const child = new ManagedChild({
      command: program.execPath,
      args: [...program.args, ...args],
      environment: { ...agentEnvironment(process.env), ...environment },
      inheritsEnvironment: false,
      // Ctrl-C only reaches the server, which then stops its agents in order.
      detached: true,
      // The agent exits when this channel closes.
      onMessage: () => {},
      stdout: 'ignore',
      killAfterMs,
    });
    this.#child = child;
    child.start();
    const onExit = (how: string): void => {
      if (this.#child !== child) return;
      this.#child = null;
      if (Date.now() - startedAt > startedMs) this.#backoff.reset();
      this.#restart(how, child.lines);
    };
    child.exit.then(
      ({ code, signal }) => onExit(signal === null ? `exit code ${code}` : `signal ${signal}`),
      (error: unknown) => onExit(reasonOf(error)),
    );
  }

  #restart(how: string, lines: readonly string[]): void {
    if (!this.#running) return;
    const { name, onLog } = this.#options;
    const waitMs = this.#backoff.next();
    const words = lines.slice(-3).join(' | ');
    onLog('error', `The agent ${name} exited (${how}). It restarts in ${waitMs} ms. ${words}`.trim());
    this.#retry = setTimeout(() => this.#spawn(), waitMs);
  }
}

/** The command that starts an agent: `execPath ...args <options>`. */
export interface AgentProgram {
  execPath: string;
  args: readonly string[];
}

/** Ends a child whose parent has died, even by SIGKILL: the channel between them closes. */
const endWithParent = "process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))";

/**
 * Returns the agent program: in the bundle a file next to this one, in the source tree the agent package,
 * unless it was built elsewhere.
 */
export function findAgentProgram(built?: string): AgentProgram {
  const bundled = fileURLToPath(new URL('./agent.mjs', import.meta.url));
  const source = fileURLToPath(new URL('../../../../packages/agent/src/main.ts', import.meta.url));
  return {
    execPath: process.execPath,
    args: [
      '--disable-warning=ExperimentalWarning',
      `--import=data:text/javascript,${encodeURIComponent(endWithParent)}`,
      built ?? (existsSync(bundled) ? bundled : source),
    ],
  };
}

/**
 * Variables that the agent and its programs need; other variables of the server's environment are not passed
 * on.
 */
const passedOn = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TZ',
  'LANG',
  'LANGUAGE',
  'LD_LIBRARY_PATH',
  'OPENSSL_CONF',
  'OPENSSL_MODULES',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
  'NODE_V8_COVERAGE',
  'MQTTLAB_REHEARSAL',
  'MQTTLAB_BROKERS',
  'MQTTLAB_METER',
  'MQTTLAB_SUPPLY_VOLTS',
  'MQTTLAB_PYTHON',
  'MQTTLAB_PROC_ROOT',
  'MQTTLAB_SYS_ROOT',
]);

/** Pure. */
function agentEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(own).filter(([name]) => passedOn.has(name) || name.startsWith('LC_')),
  );
}
