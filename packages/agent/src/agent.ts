import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { LogLine } from '@mqttlab/shared/domain/runs/role-result';
import { reasonOf } from '@mqttlab/shared/kit/failure';
import { agentProtocolVersion } from '@mqttlab/shared/messages/agent';
import type { DeviceSettings } from '@mqttlab/shared/messages/device-settings';
import { maxAgentFrameBytes } from '@mqttlab/shared/messages/set-aside';
import type { ProgramEntry } from './brokers/broker.ts';
import { brokerProbes } from './brokers/list.ts';
import {
  type FixedCapabilities,
  type ProbeOptions,
  probeFixedCapabilities,
  readCapabilities,
} from './link/capabilities.ts';
import {
  followServerFile,
  makeAuthorityPins,
  makeCredentials,
  parseServerAddress,
  type ServerAddress,
} from './link/credentials.ts';
import { HealthWatch } from './link/health-watch.ts';
import { Outbox, SetAsideResults } from './link/outbox.ts';
import {
  type FrameForAgent,
  type Hello,
  type LinkTiming,
  ServerLink,
  usualTiming,
} from './link/server-link.ts';
import { SpareWorker } from './load/load-worker-process.ts';
import { systemClock } from './load/pacing/clock.ts';
import { ChildRecords, DataFolderLock } from './processes/child-records.ts';
import { Cleanup } from './processes/files.ts';
import type { Device } from './roles/role.ts';
import { TrialRunner } from './roles/trial-runner.ts';
import { LinkShaper, ShapingNote } from './shaping/link-shaper.ts';
import { runNetworkTool } from './shaping/network-tool.ts';

export interface AgentConstruction extends AgentOptions {
  entry: ProgramEntry;
  timing: LinkTiming & { serverLossMs: number };
  onLog: (level: LogLine['level'], text: string) => void;
}

const tooLarge = `it is larger than the ${maxAgentFrameBytes / 1_048_576} MiB that the server accepts`;
const healthEveryMs = 5_000;
/** Longer than the pause between two runs, but short enough not to waste memory on an idle device. */
const spareIdleMs = 20_000;

/** The agent program on a device; constructs all of its parts. */
export class Agent {
  readonly #options: AgentConstruction;
  readonly #probe: ProbeOptions;
  readonly #outbox: Outbox;
  readonly #setAside: SetAsideResults;
  readonly #cleanup: Cleanup;
  readonly #lock: DataFolderLock;
  readonly #records: ChildRecords;
  readonly #shaper: LinkShaper;
  readonly #link: ServerLink;
  #fixed: FixedCapabilities | null = null;
  #runner: TrialRunner | null = null;
  #health: HealthWatch | null = null;

  constructor(options: AgentConstruction) {
    const {
      dataFolder,
      entry,
      brokers,
      server,
      serverFile,
      token,
      enrolToken,
      name,
      timing,
      procRoot,
      sysRoot,
    } = options;
    const onFailure = (text: string) => this.#log('warn', text);
    this.#options = options;
    const { meterUrl, supplyVolts } = options;
    const note = new ShapingNote(join(dataFolder, 'shaping.json'));
    this.#shaper = new LinkShaper({ tool: runNetworkTool, note, procRoot, sysRoot, onFailure });
    this.#records = new ChildRecords({ folder: join(dataFolder, 'children'), procRoot, onFailure });
    this.#probe = {
      shaping: () => this.#shaper.capability,
      procRoot,
      sysRoot,
      dataFolder,
      entry,
      brokers,
      meterUrl,
      supplyVolts,
    };
    this.#lock = new DataFolderLock(join(dataFolder, 'agent.json'), procRoot);
    this.#cleanup = new Cleanup({ onFailure });
    const setAsideFolder = join(dataFolder, 'set-aside');
    this.#setAside = new SetAsideResults({
      folder: setAsideFolder,
      nowMs: systemClock.unixMs,
      onFailure,
      onAdded: () => this.#link.send({ type: 'set-aside', results: this.#setAside.list() }),
    });
    this.#outbox = new Outbox({
      folder: join(dataFolder, 'outbox'),
      setAside: this.#setAside,
      cleanup: this.#cleanup,
      onFailure,
    });
    this.#link = new ServerLink({
      server: serverFile === null ? () => server : followServerFile(serverFile, server, onFailure),
      credentials: makeCredentials({ token, enrolToken, name, path: join(dataFolder, 'token') }),
      pins: makeAuthorityPins({
        path: join(dataFolder, 'authorities.json'),
        extraPath: process.env.NODE_EXTRA_CA_CERTS ?? null,
      }),
      timing,
      clock: systemClock,
      makeHello: (settings) => this.#makeHello(settings),
      onLog: (level, text) => this.#log(level, text),
    });
    this.#link.on('frame', (frame) => this.#handle(frame));
    this.#link.on('tooLarge', (key) => this.#inBackground(this.#outbox.refuse(key, tooLarge)));
    this.#link.on('up', () => this.#connected());
    this.#link.on('down', () => this.#disconnected());
  }

  /** Cleans up after a crashed predecessor, then connects. Throws if another agent uses the same data folder. */
  async start(): Promise<void> {
    if (this.#runner !== null) return;
    const { dataFolder, entry, timing, procRoot, sysRoot } = this.#options;
    const runsFolder = join(dataFolder, 'runs');
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    await this.#lock.take();
    await this.#records.open();
    await this.#cleanup.remove(runsFolder);
    await this.#outbox.open();
    await this.#setAside.open();
    const [fixed] = await Promise.all([probeFixedCapabilities(this.#probe), this.#shaper.open()]);
    const capabilities = () => readCapabilities(this.#probe, fixed);
    const records = this.#records;
    const shaper = this.#shaper;
    const workers = new SpareWorker({
      entry,
      records,
      codeFolder: join(dataFolder, 'code'),
      idleMs: spareIdleMs,
    });
    const { offers, sensors, capture } = fixed;
    const device: Device = {
      clock: systemClock,
      entry,
      procRoot,
      sysRoot,
      records,
      workers,
      offers,
      sensors,
      capture,
      shaper,
      capabilities,
    };
    this.#fixed = fixed;
    this.#runner = new TrialRunner({
      device,
      runsFolder,
      outbox: this.#outbox,
      cleanup: this.#cleanup,
      send: (frame) => this.#link.send(frame),
      serverLossMs: timing.serverLossMs,
    });
    this.#health = new HealthWatch({
      device,
      dataFolder,
      everyMs: healthEveryMs,
      isBusy: () => this.#runner?.isBusy ?? false,
      onHealth: (health) => this.#link.send({ type: 'health', health }),
    });
    this.#link.start();
  }

  /**
   * Ends the current run, restores the device and notifies the server. If a step fails, the failure is
   * reported and the next steps are still executed. Idempotent, never rejects.
   */
  async stop(): Promise<void> {
    const steps = [
      () => this.#stopRunner(),
      async () => this.#health?.stop(),
      async () => this.#cleanup.stop(),
      async () => this.#link.stop(),
      async () => this.#lock.release(),
    ];
    for (const step of steps) {
      await step().catch((error: unknown) => this.#options.onLog('error', reasonOf(error)));
    }
  }

  async #stopRunner(): Promise<void> {
    const runner = this.#runner;
    try {
      await runner?.stop();
    } finally {
      // Commands that arrive from now on are ignored.
      this.#runner = null;
    }
  }

  async #makeHello(settings: DeviceSettings): Promise<Hello> {
    if (this.#fixed === null) throw new Error('The agent is not started');
    await this.#fixed.sensors.follow(settings);
    const capabilities = await readCapabilities(this.#probe, this.#fixed);
    const pending = this.#outbox.pending();
    const setAside = this.#setAside.list();
    const refused = setAside.length > 0 ? { setAside } : {};
    return { type: 'hello', protocol: agentProtocolVersion, capabilities, pending, ...refused };
  }

  #handle(frame: FrameForAgent): void {
    if (frame.type === 'ack') this.#inBackground(this.#outbox.forget(frame.key));
    else if (frame.type === 'refuse-result') {
      this.#inBackground(this.#outbox.refuse(frame.key, frame.reason));
    } else if (frame.type === 'deliver') this.#inBackground(this.#sendStored(frame.key));
    else if (frame.type === 'fetch-set-aside') {
      this.#inBackground(this.#sendSetAside(frame.id, frame.name));
    } else if (frame.type === 'fetch-file') this.#inBackground(this.#sendFilePart(frame));
    else if (this.#runner !== null) this.#inBackground(this.#runner.handle(frame));
  }

  /** Runs work in the background. An error is reported and never ends the agent. */
  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#log('error', reasonOf(error)));
  }

  async #sendSetAside(id: number, name: string): Promise<void> {
    this.#link.send({ type: 'set-aside-result', id, text: await this.#setAside.read(name) });
  }

  async #sendFilePart({ id, ...wanted }: Extract<FrameForAgent, { type: 'fetch-file' }>): Promise<void> {
    try {
      const part = await this.#outbox.readFilePart(wanted);
      this.#link.send({ type: 'file-part', id, part: part?.toString('base64') ?? null });
    } catch (error) {
      this.#link.send({ type: 'file-part', id, part: null, error: reasonOf(error).slice(0, 1000) });
    }
  }

  #connected(): void {
    this.#runner?.connectionRegained();
    this.#health?.start();
    this.#inBackground(this.#sendPending());
  }

  #disconnected(): void {
    this.#health?.stop();
    this.#runner?.connectionLost();
  }

  /** Sends the pending results one after the other, so that only one is in memory at a time. */
  async #sendPending(): Promise<void> {
    for (const key of this.#outbox.pending()) await this.#sendStored(key);
  }

  async #sendStored(key: string): Promise<void> {
    const stored = this.#outbox.has(key) ? await this.#outbox.read(key) : null;
    if (stored !== null && this.#outbox.has(key)) this.#link.send({ type: 'result', key, ...stored });
  }

  /** Logs on this device, and sends the line to the server as soon as it is reachable. */
  #log(level: LogLine['level'], text: string): void {
    this.#options.onLog(level, text);
    if (level !== 'warn' && level !== 'error') return;
    const line = { at: systemClock.unixMs(), level, source: 'agent', text };
    this.#link.send({ type: 'log', runId: null, line });
  }
}

export type BrokerKind = keyof typeof brokerProbes;

interface AgentOptions {
  server: ServerAddress;
  /**
   * File from which the server's address is read at each connection attempt; null if the address never
   * changes.
   */
  serverFile: string | null;
  /** Token of this device; null if the device is not enrolled yet. */
  token: string | null;
  /** Enrolment token; null if none is set. */
  enrolToken: string | null;
  /** Name in the process list and for enrolment. */
  name: string;
  dataFolder: string;
  brokers: readonly BrokerKind[];
  /**
   * Address of a smart plug or meter that responds over HTTP or publishes on a topic; null if there is none.
   */
  meterUrl: string | null;
  /** Supply voltage in V, to convert energy to charge; null if unknown. */
  supplyVolts: number | null;
  /** Folders of the kernel's files: /proc and /sys, unless a container mounts them elsewhere. */
  procRoot: string;
  sysRoot: string;
}

const usage = `mqttlab agent: runs experiments on this device

  --server <address>    address of the mqttlab server, for example http://192.168.1.5:4321  (MQTTLAB_SERVER)
  --server-file <path>  file with that address, followed by a PEM certificate: the server's or its CA
                        certificate; read again at every connection attempt
  --token-file <path>   file with this device's token  (or the token itself in MQTTLAB_AGENT_TOKEN)
  --enrol-file <path>   file with an enrolment token, used once instead  (or the token in MQTTLAB_ENROL_TOKEN)
  --name <name>         name in the process list and for enrolment; default: the name of the machine
                        (MQTTLAB_AGENT_NAME)
  --data <folder>       folder for results not yet delivered  (MQTTLAB_AGENT_DATA)
  --brokers <list>      broker kinds to offer, the preferred kind first: mosquitto,embedded  (MQTTLAB_BROKERS)
  --meter <address>     address of a smart plug (Shelly, Tasmota) that powers this device, for example
                        http://192.168.1.7, or mqtt://<broker>/<topic> on which it publishes its power
                        (MQTTLAB_METER)
  --supply-volts <V>    voltage of the supply, for charge in mAh; default: 5  (MQTTLAB_SUPPLY_VOLTS)
  --proc-root <folder>  folder of the kernel's process files; default: /proc  (MQTTLAB_PROC_ROOT)
  --sys-root <folder>   folder of the kernel's device files; default: /sys  (MQTTLAB_SYS_ROOT)
`;

const definitions = {
  server: { type: 'string' },
  'server-file': { type: 'string' },
  'token-file': { type: 'string' },
  'enrol-file': { type: 'string' },
  name: { type: 'string' },
  data: { type: 'string' },
  brokers: { type: 'string' },
  meter: { type: 'string' },
  'supply-volts': { type: 'string' },
  'proc-root': { type: 'string' },
  'sys-root': { type: 'string' },
} as const;

/** Parses the options; the command line overrides the environment. Throws Error for a missing or invalid option. */
export function parseAgentOptions(args: readonly string[], environment: NodeJS.ProcessEnv): AgentOptions {
  const { values } = parseArgs({ args: [...args], options: definitions, strict: true });
  return {
    server: parseServer(values.server ?? environment.MQTTLAB_SERVER, values['server-file']),
    serverFile: values['server-file'] ?? null,
    ...readTokens(values, environment),
    name: values.name ?? environment.MQTTLAB_AGENT_NAME ?? hostname(),
    dataFolder:
      values.data ?? environment.MQTTLAB_AGENT_DATA ?? join(homedir(), '.local/state/mqttlab-agent'),
    brokers: parseBrokers(values.brokers ?? environment.MQTTLAB_BROKERS),
    meterUrl: parseMeter(values.meter ?? environment.MQTTLAB_METER),
    supplyVolts: parseVolts(values['supply-volts'] ?? environment.MQTTLAB_SUPPLY_VOLTS),
    procRoot: values['proc-root'] ?? environment.MQTTLAB_PROC_ROOT ?? '/proc',
    sysRoot: values['sys-root'] ?? environment.MQTTLAB_SYS_ROOT ?? '/sys',
  };
}

function parseServer(given: string | undefined, path: string | undefined): ServerAddress {
  const text = given ?? (path === undefined ? undefined : readFileSync(path, 'utf8'));
  if (text === undefined) throw new Error('Set the address of the server: --server http://<address>:<port>');
  return parseServerAddress(text);
}

function parseMeter(text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  const url = URL.parse(text);
  if (url === null || !/^(https?|mqtt):$/.test(url.protocol)) {
    throw new Error(`"${text}" is not the address of a meter; an example is http://192.168.1.7`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('The address of a meter appears in every result: remove the user name and password');
  }
  return url.href;
}

function parseVolts(text: string | undefined): number | null {
  if (text === undefined || text === '') return null;
  const volts = Number(text);
  if (volts > 0 && volts <= 1_000) return volts;
  throw new Error(`"${text}" is not a supply voltage; an example is --supply-volts 5`);
}

function readTokens(
  files: { 'token-file'?: string; 'enrol-file'?: string },
  environment: NodeJS.ProcessEnv,
): Pick<AgentOptions, 'token' | 'enrolToken'> {
  const token = readToken(files['token-file'], environment.MQTTLAB_AGENT_TOKEN);
  const enrolToken = readToken(files['enrol-file'], environment.MQTTLAB_ENROL_TOKEN);
  if (token !== null || enrolToken !== null) return { token, enrolToken };
  throw new Error('Set the token: --token-file <path>, or --enrol-file <path>');
}

function readToken(path: string | undefined, fallback: string | undefined): string | null {
  return (path === undefined ? fallback : readFileSync(path, 'utf8'))?.trim() || null;
}

function parseBrokers(text: string | undefined): BrokerKind[] {
  const known = Object.keys(brokerProbes).filter(isBrokerKind);
  if (text === undefined) return known;
  const names = text.split(',').map((name) => name.trim());
  return names.map((name) => {
    if (isBrokerKind(name)) return name;
    throw new Error(`"${name}" is not a broker; available are ${known.join(', ')}`);
  });
}

function isBrokerKind(name: string): name is BrokerKind {
  return Object.hasOwn(brokerProbes, name);
}

const serverLossMs = 30_000;
/** Time that the server waits for an agent that it stops. */
const exitTimeoutMs = 5_000;

/** Runs the agent until SIGTERM or SIGINT. Exits with code 2 for invalid options, or 1 if it cannot start. */
export async function runAgent(args: readonly string[], entry: ProgramEntry): Promise<void> {
  const options = readOptions(args);
  // Broker, load and client processes are started below; none of them connects to the server.
  delete process.env.MQTTLAB_AGENT_TOKEN;
  delete process.env.MQTTLAB_ENROL_TOKEN;
  process.title = `mqttlab-agent ${options.name}`;
  const agent = new Agent({ ...options, entry, timing: { ...usualTiming, serverLossMs }, onLog: writeLog });
  const stop = () => {
    agent.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  // Last resort: failed background work must not end an agent that may be in the middle of a run.
  process.on('unhandledRejection', (error) => writeLog('error', reasonOf(error)));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // A restarted server starts new agents, so this agent exits within a limited time after its server exits.
  const stopSoon = () => {
    setTimeout(() => process.exit(1), exitTimeoutMs);
    stop();
  };
  process.once('disconnect', stopSoon);
  process.stderr.once('error', stopSoon).on('error', () => {});
  try {
    await agent.start();
  } catch (error) {
    writeLog('error', reasonOf(error));
    process.exit(1);
  }
}

function readOptions(args: readonly string[]): AgentOptions {
  try {
    return parseAgentOptions(args, process.env);
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n\n${usage}`);
    process.exit(2);
  }
}

/**
 * Writes one line to stderr with level and time, because systemd and the container runtime do not add them.
 */
function writeLog(level: string, text: string): void {
  process.stderr.write(`${new Date().toISOString()} ${level} ${text}\n`);
}
