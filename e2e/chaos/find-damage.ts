import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import { rolesOf } from '@mqttlab/shared/domain/devices/device';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { countingAttempts } from '@mqttlab/shared/domain/runs/run';
import type { SetAside } from '@mqttlab/shared/messages/set-aside';
import type { TestServer } from '../fixtures/server.ts';
import type { ChaosBench } from './chaos-bench.ts';
import { runningBelow, runningIn } from './processes.ts';

const deliveryMs = 40_000;

/** Lists all problems after a sequence; empty if there are none. */
export async function findDamage(bench: ChaosBench, experiment: ExperimentDetail): Promise<string[]> {
  const late = await undeliveredAfterAll(bench);
  return [
    ...late,
    ...bench.found,
    ...(await foldersLeft(bench)),
    ...capturesLost(bench, experiment),
    ...(await runsNotRecomputed(bench, experiment)),
    ...trialsNotCountedOnce(experiment),
    ...(await filesThatDisagree(bench, experiment)),
    ...(await resultsLost(bench, experiment)),
    ...endsUnexplained(experiment),
    ...(await resultsNotSetAside(bench)),
    ...(await processesLeft(bench)),
    ...rulesLeft(bench),
    ...damageInDatabase(bench, experiment),
  ];
}

/** No results wait for delivery. Late results may still be in transit. */
async function undeliveredAfterAll(bench: ChaosBench): Promise<string[]> {
  const folder = join(bench.dataFolder, 'agents');
  const look = (): string[] =>
    readdirSync(folder).flatMap((device) => {
      const outbox = bench.outboxOf(device);
      // An inactive bridge agent delivers when a run needs it.
      if (!existsSync(outbox) || isAsleep(bench, device)) return [];
      return readdirSync(outbox).map((name) => `${device} still holds ${name}`);
    });
  return lastLook(look, deliveryMs);
}

/** A folder that could not be removed immediately is removed a little later. */
function foldersLeft(bench: ChaosBench): Promise<string[]> {
  return lastLook(() => bench.runFolders().map((folder) => `${folder} is left`), deliveryMs);
}

/** Files that the server could not fetch at first are stored eventually. */
function capturesLost({ dataFolder, withheld }: ChaosBench, { runs }: ExperimentDetail): string[] {
  const database = new DatabaseSync(join(dataFolder, 'mqttlab.db'), { readOnly: true, timeout: 5_000 });
  try {
    const stored = database.prepare(
      "SELECT run_id FROM run_files WHERE run_id = ? AND name = 'capture.pcap' AND is_last = 1",
    );
    return runs.flatMap(({ id }) =>
      withheld.has(id) && stored.get(id) === undefined ? [`the capture of run ${id} is lost`] : [],
    );
  } finally {
    database.close();
  }
}

/** A damaged run does not prevent others from being recomputed. */
function runsNotRecomputed({ dataFolder }: ChaosBench, { id }: ExperimentDetail): Promise<string[]> {
  return lastLook(() => {
    const database = new DatabaseSync(join(dataFolder, 'mqttlab.db'), { readOnly: true, timeout: 5_000 });
    try {
      const old = database
        .prepare("SELECT id FROM runs WHERE experiment_id = ? AND status = 'done' AND definitions < ?")
        .all(id, definitionsVersion);
      return old.map((row) => `run ${row.id} was not recomputed`);
    } finally {
      database.close();
    }
  }, deliveryMs);
}

/** Repeats the check until there are no problems or the time is over. Returns the last result. */
async function lastLook(look: () => string[] | Promise<string[]>, forMs: number): Promise<string[]> {
  for (const endsAt = performance.now() + forMs; performance.now() < endsAt; await wait(100)) {
    if ((await look()).length === 0) return [];
  }
  return look();
}

/** Only bridge agents wait for a run that needs them. */
function isAsleep(bench: ChaosBench, device: string): boolean {
  const isRunning = runningBelow(bench.server.pid).some(
    ({ command }) => command === `mqttlab-agent ${device}`,
  );
  return /bridge|cloud/.test(device) && !isRunning;
}

function trialsNotCountedOnce({ plan, runs, status, progress }: ExperimentDetail): string[] {
  const counting = countingAttempts(runs);
  return (plan?.trials ?? [])
    .flatMap(({ number }) => {
      const attempts = runs.filter(({ trialNumber }) => trialNumber === number);
      const ends = attempts.map(({ status, failure }) => `${status} ${failure?.code ?? ''}`.trim());
      const said = `trial ${number}: ${ends.join(', ') || 'never run'}`;
      const isOnce =
        counting.filter((run) => run.trialNumber === number && run.status === 'done').length === 1;
      const isLinked = attempts.every(({ attempt }, index) => attempt === index + 1);
      const isSettled = attempts.every((run) => /^(done|failed|cancelled|interrupted)$/.test(run.status));
      return isOnce && isLinked && isSettled ? [] : [said];
    })
    .concat(
      status === 'done' &&
        progress.done === progress.trials &&
        progress.failed === 0 &&
        progress.running === 0
        ? []
        : [`${status}: ${JSON.stringify(progress)}`],
    );
}

/** The CSV of runs and the comparison count the same runs as the grid. */
async function filesThatDisagree({ server }: ChaosBench, { id, runs }: ExperimentDetail): Promise<string[]> {
  const counting = countingAttempts(runs).map((run) => run.id);
  const response = await fetch(`${server.address}/api/v1/experiments/${id}/runs.csv`);
  const [head = '', ...lines] = (await response.text()).trim().split('\n');
  const column = head.split(',').indexOf('counts');
  const inFile = lines.map((line) => line.split(',')).filter((cells) => cells[column] === 'true');
  const compared = await server.api<{ treatments: { runs: { runId: number }[] }[] }>(
    'GET',
    `/compare?experiments=${id}`,
  );
  const inComparison = compared.treatments.flatMap((treatment) => treatment.runs.map(({ runId }) => runId));
  const same = (a: readonly number[]) => JSON.stringify(a.toSorted()) === JSON.stringify(counting.toSorted());
  return [
    ...(same(inFile.map(([run]) => Number(run)))
      ? []
      : [`the CSV counts ${inFile.length} of ${counting.length} runs`]),
    ...(same(inComparison) ? [] : [`the comparison counts runs ${inComparison}, not ${counting}`]),
  ];
}

/** Each completed run has one result per role, and metrics. */
async function resultsLost({ server, damaged }: ChaosBench, { runs }: ExperimentDetail): Promise<string[]> {
  const done = runs.filter(({ id, status }) => status === 'done' && !damaged.has(id));
  const details = await Promise.all(done.map(({ id }) => server.api<RunDetail>('GET', `/runs/${id}`)));
  return details.flatMap(({ id, results, treatment, metrics }) => {
    const delivered = results.map(({ role }) => role).sort();
    const wanted = [...rolesOf(treatment.spec)].sort();
    const failed = results.filter(({ failure }) => failure !== null).map(({ role }) => role);
    return [
      ...(delivered.join() === wanted.join() ? [] : [`run ${id} is done with results of ${delivered}`]),
      ...(failed.length === 0 ? [] : [`run ${id} is done, but failed at ${failed}`]),
      ...(Object.keys(metrics).length > 0 ? [] : [`run ${id} is done without metrics`]),
    ];
  });
}

function endsUnexplained({ runs }: ExperimentDetail): string[] {
  return runs.flatMap(({ id, status, failure }) => {
    const isExplained = failure !== null && failure.message.length > 10 && failure.remedy !== '';
    const isFault = failure?.code === 'server-fault' || failure?.code === 'agent-fault';
    if (status === 'done') return failure === null ? [] : [`run ${id} is done with a failure`];
    return isExplained && !isFault ? [] : [`run ${id} ${status}: ${failure?.code} ${failure?.message}`];
  });
}

function resultsNotSetAside({ server, refusable }: ChaosBench): Promise<string[]> {
  return lastLook(async () => lookAside(server, refusable), deliveryMs);
}

async function lookAside(server: TestServer, refusable: ReadonlySet<string>): Promise<string[]> {
  const { items } = await server.api<{ items: { setAside: SetAside[] }[] }>('GET', '/devices');
  const setAside = items.flatMap((device) => device.setAside);
  return [
    ...[...refusable].flatMap((key) =>
      setAside.filter((result) => result.key === key).length === 1 ? [] : [`${key} is not set aside`],
    ),
    ...setAside.flatMap(({ key, reason }) =>
      refusable.has(key) ? [] : [`${key} is set aside although the server wants it: ${reason}`],
    ),
  ];
}

/**
 * Expected processes: agents, their spare load processes, and the server's process for reports, which ends when it has
 * been idle for a while. No other processes may remain.
 */
function processesLeft(bench: ChaosBench): Promise<string[]> {
  const look = (): string[] => {
    const own = runningBelow(bench.server.pid);
    const known = new Set([bench.server.pid, ...own.map(({ pid }) => pid)]);
    const isUsual = /^mqttlab-agent |load-worker|\/answer-worker\.mjs/;
    return [
      ...own.filter(({ command }) => !isUsual.test(command)),
      ...runningIn(bench.dataFolder).filter(({ pid }) => !known.has(pid)),
    ].map(({ pid, command }) => `process ${pid} is left: ${command.slice(0, 120)}`);
  };
  return lastLook(look, 10_000);
}

function rulesLeft({ means }: ChaosBench): string[] {
  if (!means.network) return [];
  const tables = execFileSync('nft', ['list', 'tables'], { encoding: 'utf8' }).trim();
  const queues = execFileSync('tc', ['qdisc', 'show'], { encoding: 'utf8' }).trim();
  const foreign = queues.split('\n').filter((line) => line !== '' && !line.includes('noqueue 0:'));
  return [
    ...(tables === '' ? [] : [`left in nftables: ${tables}`]),
    ...foreign.map((line) => `left in tc: ${line}`),
  ];
}

function damageInDatabase({ dataFolder }: ChaosBench, { id }: ExperimentDetail): string[] {
  const database = new DatabaseSync(join(dataFolder, 'mqttlab.db'), { readOnly: true, timeout: 5_000 });
  try {
    const checked = database
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => String(row.integrity_check));
    const foreign = database.prepare('PRAGMA foreign_key_check').all();
    const twice = database
      .prepare(
        `SELECT trial_number FROM runs WHERE experiment_id = ? AND superseded = 0
         GROUP BY trial_number HAVING count(*) <> 1`,
      )
      .all(id);
    return [
      ...(checked.join() === 'ok' ? [] : [`integrity_check: ${checked.join('; ')}`]),
      ...(foreign.length === 0 ? [] : [`foreign_key_check: ${foreign.length} rows`]),
      ...twice.map((row) => `trial ${row.trial_number} does not count once in the database`),
    ];
  } finally {
    database.close();
  }
}
