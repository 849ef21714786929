import { basename, join } from 'node:path';
import { listFolder, readText } from '../base/kernel-files.ts';
import { isListening } from '../base/tcp-tables.ts';
import { identifyProcess } from '../children/child-records.ts';
import { ask } from '../children/programs.ts';

export interface ProcessQuery {
  procRoot: string;
  /** Of the cgroup tree, where systemctl does not answer. */
  sysRoot: string;
  /** As /proc/<pid>/comm has it, or the file name of the program or script. */
  process: string | null;
  /** A systemd unit; goes before the name. */
  unit: string | null;
  /** Where it listens: decides among several of one name. */
  port: number;
}

export interface FoundProcess {
  pid: number | null;
  /** Why none was found, or what is uncertain about the one that was; null when all is well. */
  doubt: string | null;
}

/** Looks for the process of a broker that somebody else runs. Never rejects. */
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
      doubt: pids.length === 1 ? null : `no process ${name} runs on this device`,
    };
  }
  const listener = pids.find((pid) => isListening(pid, port));
  if (listener !== undefined) return { pid: listener, doubt: null };
  const [oldest = null] = pids;
  const doubt = `${pids.length} processes are named ${name} and none is seen to listen on port ${port}; the oldest is looked at`;
  return { pid: oldest, doubt };
}

/** A process and everything below it, itself first. Empty when it is gone. */
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

/** The oldest first. */
function processesNamed(procRoot: string, name: string): number[] {
  return allPids(procRoot)
    .filter((pid) => namesOf(procRoot, pid).includes(name))
    .flatMap((pid) => identifyProcess(procRoot, pid) ?? [])
    .sort((a, b) => a.startTicks - b.startTicks)
    .map(({ pid }) => pid);
}

/** proc_pid_comm(5) is cut to 15 characters; a script stands behind its interpreter. */
function namesOf(procRoot: string, pid: number): string[] {
  const [program = '', script = ''] = readProcess(procRoot, pid, 'cmdline').split('\0');
  return [readProcess(procRoot, pid, 'comm'), basename(program), basename(script)];
}

function allPids(procRoot: string): number[] {
  return listFolder(procRoot)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Field 4 of proc_pid_stat(5), counted from behind the name in parentheses. */
function parentOf(procRoot: string, pid: number): number {
  const stat = readProcess(procRoot, pid, 'stat');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

async function askSystemd(unit: string): Promise<number | null> {
  const { stdout } = await ask('systemctl', ['show', '--property=MainPID', '--value', '--', unit]);
  const pid = Number(stdout.trim());
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/** The first process of the unit's cgroup, version 2 and 1 (cgroups(7)). */
function readUnitCgroup(sysRoot: string, unit: string): number | null {
  const file = unit.includes('.') ? unit : `${unit}.service`;
  const pids = ['fs/cgroup', 'fs/cgroup/systemd'].flatMap((folder) =>
    (readText(join(sysRoot, folder, 'system.slice', file, 'cgroup.procs')) ?? '').split('\n').filter(Boolean),
  );
  const first = Number(pids[0]);
  return Number.isInteger(first) && first > 0 ? first : null;
}

/** Empty when the process is gone. */
function readProcess(procRoot: string, pid: number, name: 'cmdline' | 'comm' | 'stat'): string {
  return readText(join(procRoot, String(pid), name)) ?? '';
}
