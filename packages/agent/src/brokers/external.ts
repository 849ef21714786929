import { once } from 'node:events';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import type { ExternalBroker as Setting } from '@mqttlab/shared/domain/devices/external-broker';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { Failure, reasonOf } from '@mqttlab/shared/kit/failure';
import type { BrokerReady } from '@mqttlab/shared/messages/agent';
import { identifyProcess } from '../processes/child-records.ts';
import { listFolder, readText } from '../processes/files.ts';
import { isListening, resolveHost } from '../processes/network.ts';
import { ask } from '../processes/programs.ts';
import type { Broker, BrokerFacts, BrokerOptions } from './broker.ts';

const connectTimeoutMs = 5_000;

interface ExternalBrokerOptions extends Pick<BrokerOptions, 'spec' | 'onLog'> {
  setting: Setting;
  procRoot: string;
  sysRoot: string;
}

/** A broker outside mqttlab, which mqttlab never starts, configures or stops. */
export class ExternalBroker implements Broker {
  readonly #options: ExternalBrokerOptions;
  #pid: number | null = null;
  #port = 0;
  #doubt: string | null = null;
  #processes: number[] = [];

  constructor(options: ExternalBrokerOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#pid;
  }

  get processes(): readonly number[] {
    return this.#processes;
  }

  get degraded(): string | null {
    return this.#doubt;
  }

  /** Does nothing: the clients detect if an external broker exits. */
  onExit(): void {}

  /** Throws Failure 'broker-unreachable', or 'no-broker' if no port is set for the trial's transport. */
  async start(): Promise<BrokerReady> {
    const { setting, spec, onLog, procRoot } = this.#options;
    this.#port = portOf(setting, spec);
    const address = await resolve(setting, this.#port);
    await tryToConnect(setting, address, this.#port);
    const { pid, doubt } = await this.#find();
    this.#pid = pid;
    this.#doubt = doubt;
    this.#processes = pid === null ? [] : withDescendants(procRoot, pid);
    if (doubt !== null) onLog('warn', `${setting.label}: ${doubt}`);
    return { address, port: this.#port, kind: 'external', version: setting.label, pid };
  }

  /** Does nothing: mqttlab did not start this broker. */
  async stop(): Promise<void> {}

  async pidNow(): Promise<number | null> {
    return (await this.#find()).pid;
  }

  facts(): BrokerFacts {
    const { label, process, unit, username } = this.#options.setting;
    return {
      'broker.configuration': 'unknown: mqttlab does not run this broker',
      'broker.label': label,
      'broker.process': unit ?? process,
      'broker.processes': this.#processes.length,
      'broker.username': username,
    };
  }

  #find() {
    const { setting, procRoot, sysRoot } = this.#options;
    const { process, unit } = setting;
    return findBrokerProcess({ procRoot, sysRoot, process, unit, port: this.#port });
  }
}

function portOf(setting: Setting, { security, transport }: TrialSpec): number {
  const secure = security !== 'plain';
  const plainOrTls = secure ? setting.tlsPort : setting.port;
  const port = transport === 'tcp' ? plainOrTls : secure ? null : setting.websocketPort;
  if (port !== null) return port;
  const way = `${secure ? 'TLS' : 'plain MQTT'}${transport === 'tcp' ? '' : ' over WebSocket'}`;
  throw new Failure({
    code: 'no-broker',
    message: `No port is set for ${way} of ${setting.label}.`,
    remedy: 'Set it on the Devices page, or choose another protocol or transport.',
  });
}

/** Resolves the host name once, so that no client resolves it during a timed connection. */
async function resolve(setting: Setting, port: number): Promise<string> {
  try {
    return (await resolveHost(setting.address)).address;
  } catch (error) {
    throw unreachable(setting, port, `its address is not usable: ${reasonOf(error)}`);
  }
}

async function tryToConnect(setting: Setting, address: string, port: number): Promise<void> {
  const socket = connect({ host: address, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectTimeoutMs) });
  } catch (error) {
    throw unreachable(setting, port, reasonOf(error));
  } finally {
    socket.destroy();
  }
}

function unreachable({ label, address }: Setting, port: number, reason: string): Failure {
  return new Failure({
    code: 'broker-unreachable',
    message: `${label} does not answer at ${address}:${port}: ${reason}`,
    remedy: 'Start it, or correct its address and ports on the Devices page.',
  });
}

interface ProcessQuery {
  procRoot: string;
  /** Root of the cgroup tree, used if systemctl does not respond. */
  sysRoot: string;
  /** Name in /proc/<pid>/comm, or the file name of the program or script. */
  process: string | null;
  /** A systemd unit, which takes precedence over the name. */
  unit: string | null;
  /** Port of the broker, to choose among several processes with the same name. */
  port: number;
}

interface FoundProcess {
  pid: number | null;
  /** Reason why no process was found, or why the process found is uncertain; null if it is certain. */
  doubt: string | null;
}

/** Searches for the process of an external broker. Never rejects. */
export async function findBrokerProcess(query: ProcessQuery): Promise<FoundProcess> {
  const { process: name, unit, port, procRoot } = query;
  if (unit !== null) {
    const pid = (await askSystemd(unit)) ?? readUnitCgroup(query.sysRoot, unit);
    return { pid, doubt: pid === null ? `the unit ${unit} has no process on this device` : null };
  }
  if (name === null) return { pid: null, doubt: null };
  const pids = processesNamed(procRoot, name);
  if (pids.length <= 1) {
    return {
      pid: pids[0] ?? null,
      doubt: pids.length === 1 ? null : `no process named ${name} is running on this device`,
    };
  }
  const listener = pids.find((pid) => isListening(pid, port));
  if (listener !== undefined) return { pid: listener, doubt: null };
  const [oldest = null] = pids;
  const doubt = `${pids.length} processes are named ${name}, none of which listens on port ${port}; the oldest one is sampled`;
  return { pid: oldest, doubt };
}

/**
 * Returns the process ids of a process and its descendants, itself first. Empty if the process has exited.
 */
export function withDescendants(procRoot: string, pid: number): number[] {
  if (identifyProcess(procRoot, pid) === null) return [];
  const children = Map.groupBy(
    allPids(procRoot).map((each) => ({ pid: each, parent: parentOf(procRoot, each) })),
    ({ parent }) => parent,
  );
  const found = [pid];
  for (const each of found) found.push(...(children.get(each) ?? []).map((child) => child.pid));
  return found;
}

/** Returns matching processes, oldest first. */
function processesNamed(procRoot: string, name: string): number[] {
  return allPids(procRoot)
    .filter((pid) => namesOf(procRoot, pid).includes(name))
    .flatMap((pid) => identifyProcess(procRoot, pid) ?? [])
    .sort((a, b) => a.startTicks - b.startTicks)
    .map(({ pid }) => pid);
}

/**
 * Returns the possible names of a process. proc_pid_comm(5) is truncated to 15 characters, and the file name
 * of a script follows its interpreter.
 */
function namesOf(procRoot: string, pid: number): string[] {
  const [program = '', script = ''] = readProcess(procRoot, pid, 'cmdline').split('\0');
  return [readProcess(procRoot, pid, 'comm'), basename(program), basename(script)];
}

function allPids(procRoot: string): number[] {
  return listFolder(procRoot)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Returns field 4 of proc_pid_stat(5), counted from the end of the name in parentheses. */
function parentOf(procRoot: string, pid: number): number {
  const stat = readProcess(procRoot, pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

async function askSystemd(unit: string): Promise<number | null> {
  const { stdout } = await ask('systemctl', ['show', '--property=MainPID', '--value', '--', unit]);
  const pid = Number(stdout.trim());
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/** Returns the first process in the unit's cgroup, version 2 or 1 (cgroups(7)). */
function readUnitCgroup(sysRoot: string, unit: string): number | null {
  const file = unit.includes('.') ? unit : `${unit}.service`;
  const pids = ['fs/cgroup', 'fs/cgroup/systemd'].flatMap((folder) =>
    (readText(join(sysRoot, folder, 'system.slice', file, 'cgroup.procs')) ?? '').split('\n').filter(Boolean),
  );
  const first = Number(pids[0]);
  return Number.isInteger(first) && first > 0 ? first : null;
}

/** Returns an empty list if the process has exited. */
function readProcess(procRoot: string, pid: number, name: 'cmdline' | 'comm' | 'stat'): string {
  return readText(join(procRoot, String(pid), name)) ?? '';
}
