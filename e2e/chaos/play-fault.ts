import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { makeRoleResult } from '@mqttlab/shared/testing/factories';
import type { ChaosBench } from './chaos-bench.ts';
import type { Fault, Step } from './make-sequence.ts';

/** A run that this server never started. */
const unknownRunId = 777_777_777;

/** Executes the faults in sequence. Temporary faults have ended when this resolves. */
export async function playSteps(bench: ChaosBench, steps: readonly Step[]): Promise<void> {
  for (const { afterMs, fault } of steps) {
    await wait(afterMs);
    await playFault(bench, fault);
  }
}

async function playFault(bench: ChaosBench, fault: Fault): Promise<void> {
  if (fault.kind === 'kill') return kill(bench, fault.victim);
  if (fault.kind === 'restart') {
    const code = await bench.stopServer();
    if (code !== 0) throw new Error(`the server exited with ${code} on a stop request`);
    return bench.startServer();
  }
  if (fault.kind === 'freeze') return freeze(bench, fault);
  if (fault.kind === 'fill-disk') {
    bench.fillDisk();
    await wait(fault.forMs);
    return bench.freeDisk();
  }
  if (fault.kind === 'jump-clock') return bench.jumpClock(fault.byS);
  if (fault.kind === 'cut') {
    bench.cutConnections();
    await wait(fault.forMs);
    return bench.joinConnections();
  }
  if (fault.kind === 'late-results') return dieCollecting(bench, fault.withAgents);
  if (fault.kind === 'unremovable-folder') return holdRunFolder(bench, fault.forMs);
  if (fault.kind === 'withheld-capture') return withholdCapture(bench, fault.how);
  if (fault.kind === 'damaged-row') return damageRow(bench);
  if (fault.kind === 'half-closed') return closeHalf(bench, fault.forMs);
  return leaveRefusable(bench);
}

/** Polls for an object that exists during runs; null if it does not appear during a run. */
async function catchSight<T>(look: () => T | null | Promise<T | null>, everyMs: number): Promise<T | null> {
  for (const endsAt = performance.now() + collectingMs; performance.now() < endsAt; await wait(everyMs)) {
    const found = await look();
    if (found !== null) return found;
  }
  return null;
}

async function holdRunFolder(bench: ChaosBench, forMs: number): Promise<void> {
  const isHeld = await catchSight(() => {
    const [folder] = bench.runFolders();
    if (folder === undefined) return null;
    try {
      bench.holdFolder(folder);
      return true;
    } catch {
      // The run ended meanwhile and its folder was removed.
      return null;
    }
  }, 5);
  if (isHeld === null) return;
  await wait(forMs);
  bench.releaseFolder();
}

/** Longer than the server's timeout for a part of a file. */
const silenceMs = 31_000;
const errorMs = 1_500;

async function withholdCapture(bench: ChaosBench, how: 'error' | 'silence'): Promise<void> {
  const outbox = bench.outboxOf('local-broker');
  const [server] = bench.find('server');
  const held = await catchSight(() => {
    const result = existsSync(outbox)
      ? readdirSync(outbox).find((name) => /^\d+-broker\.json$/.test(name))
      : null;
    if (!result || !server) return null;
    // The server is stopped while the file is replaced.
    signal(server.pid, 'SIGSTOP');
    try {
      const path = join(outbox, result.replace('.json', '.files'), 'capture.pcap');
      if (!existsSync(path)) return null;
      const original = `${path}.original`;
      renameSync(path, original);
      if (how === 'error') mkdirSync(path);
      else execFileSync('mkfifo', [path]);
      bench.withheld.add(Number.parseInt(result, 10));
      return { path, original };
    } finally {
      signal(server.pid, 'SIGCONT');
    }
  }, 1);
  if (held === null) return;
  const { path, original } = held;
  await wait(how === 'error' ? errorMs : silenceMs);
  if (how === 'error') rmdirSync(path);
  else {
    releaseReaders(path);
    rmSync(path);
  }
  renameSync(original, path);
}

/** Releases a reader of the FIFO by opening it briefly for writing. */
function releaseReaders(path: string): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
  } catch {
    // ENXIO: there is no reader.
  }
}

async function damageRow(bench: ChaosBench): Promise<void> {
  const done = await catchSight(async () => {
    const path = `/experiments/${bench.experimentId}`;
    const { runs } = await bench.server.api<ExperimentDetail>('GET', path);
    return runs.find(({ id, status }) => status === 'done' && !bench.damaged.has(id)) ?? null;
  }, 20);
  if (done === null) return;
  await bench.killServer();
  const database = new DatabaseSync(join(bench.dataFolder, 'mqttlab.db'), { timeout: 5_000 });
  try {
    database.prepare("UPDATE run_results SET body_packed = x'00' WHERE run_id = ?").run(done.id);
    database.exec('UPDATE runs SET definitions = 1');
    bench.damaged.add(done.id);
  } finally {
    database.close();
  }
  return bench.startServer();
}

/** Timeout for responses, which take long on a busy machine. A busy loop once blocked the server for a minute. */
const longestAnswerMs = 15_000;

/**
 * Stops agents while their last packets are dropped. They have closed their connections, but to the server these
 * are still closing. Replacement agents are paused meanwhile.
 */
async function closeHalf(bench: ChaosBench, forMs: number): Promise<void> {
  const find = () => [...bench.find('broker-agent'), ...bench.find('client-agent')];
  const ended = new Set(find().map(({ pid }) => pid));
  const frozen = new Set<number>();
  bench.dropFarewells();
  try {
    for (const pid of ended) signal(pid, 'SIGTERM');
    const endsAt = performance.now() + forMs;
    do {
      for (const { pid } of find()) {
        if (ended.has(pid) || frozen.has(pid)) continue;
        signal(pid, 'SIGSTOP');
        frozen.add(pid);
      }
      const askedAt = performance.now();
      await fetch(`${bench.server.address}/livez`);
      const tookMs = performance.now() - askedAt;
      if (tookMs > longestAnswerMs)
        bench.found.push(`the server did not answer for ${Math.round(tookMs)} ms`);
      await wait(50);
    } while (performance.now() < endsAt);
  } finally {
    bench.passFarewells();
    for (const pid of frozen) signal(pid, 'SIGCONT');
  }
}

async function kill(bench: ChaosBench, victim: Extract<Fault, { kind: 'kill' }>['victim']): Promise<void> {
  if (victim === 'server') {
    await bench.killServer();
    return bench.startServer();
  }
  for (const { pid } of bench.find(victim)) signal(pid, 'SIGKILL');
}

async function freeze(
  bench: ChaosBench,
  { victim, forMs }: Extract<Fault, { kind: 'freeze' }>,
): Promise<void> {
  const frozen = bench.find(victim);
  for (const { pid } of frozen) signal(pid, 'SIGSTOP');
  await wait(forMs);
  for (const { pid } of frozen) signal(pid, 'SIGCONT');
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has already ended.
  }
}

/** If no run is collected for a time, the experiment has ended. */
const collectingMs = 4_000;

async function dieCollecting(bench: ChaosBench, withAgents: boolean): Promise<void> {
  const isCollecting = async (): Promise<boolean> => {
    const path = `/experiments/${bench.experimentId}`;
    const { runs } = await bench.server.api<ExperimentDetail>('GET', path);
    return runs.some(({ status }) => status === 'collecting');
  };
  for (const endsAt = performance.now() + collectingMs; performance.now() < endsAt; await wait(5)) {
    if (!(await isCollecting().catch(() => false))) continue;
    const agents = withAgents ? [...bench.find('broker-agent'), ...bench.find('client-agent')] : [];
    await bench.killServer();
    for (const { pid } of agents) signal(pid, 'SIGKILL');
    return bench.startServer();
  }
}

async function leaveRefusable(bench: ChaosBench): Promise<void> {
  const runId = unknownRunId + bench.refusable.size;
  const key = `${runId}-publisher`;
  const outbox = bench.outboxOf('local-publisher');
  mkdirSync(outbox, { recursive: true });
  writeFileSync(join(outbox, `${key}.json`), JSON.stringify({ runId, result: makeRoleResult() }));
  bench.refusable.add(key);
  await kill(bench, 'client-agent');
}
