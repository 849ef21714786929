import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import { makeQuickDraft, startExperiment } from '../fixtures/experiments.ts';
import { TestServer } from '../fixtures/server.ts';
import { stopOnSignal } from '../fixtures/stop-on-signal.ts';
import { PoolAgents } from './pool-agents.ts';
import { findDifferences } from './sums.ts';

const [agentCount = 60, connections = 6000] = process.argv.slice(2).map(Number);
const testbedId = 'cluster';
const loadAgents = agentCount - 2;
const victims = Array.from({ length: Math.floor(agentCount / 10) }, (_, index) => `load-${index * 9}`);
const timeoutMs = 240_000;
const pools = [
  { pool: 'broker', role: 'broker', agents: 1 },
  { pool: 'load', role: 'publisher', agents: loadAgents },
  { pool: 'sink', role: 'subscriber', agents: 1 },
] as const;

const server = new TestServer();
server.rehearsal = 'off';
const agents = new PoolAgents(server);
const usage = { maxBytes: 0 };
const startedAt = performance.now();
const say = (text: string): void =>
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`);

async function untilIt(
  id: number,
  fits: (experiment: ExperimentDetail) => boolean,
): Promise<ExperimentDetail> {
  for (const until = performance.now() + timeoutMs; ; await wait(500)) {
    const experiment = await server.api<ExperimentDetail>('GET', `/experiments/${id}`);
    if (fits(experiment)) return experiment;
    if (performance.now() > until) {
      throw new Error(`E-${id} is still ${experiment.status}. Server output: ${server.words.slice(-4000)}`);
    }
  }
}

async function onlineCount(): Promise<number> {
  const { items } = await server.api<{ items: { testbedId: string; devices: unknown[] }[] }>(
    'GET',
    '/testbeds',
  );
  return items.find((item) => item.testbedId === testbedId)?.devices.length ?? 0;
}

async function enrolAll(): Promise<Map<string, string>> {
  const interfaces = Object.fromEntries(pools.map(({ pool }) => [pool, 'lo']));
  const roles = pools.map(({ pool, role }) => ({ pool, role }));
  const links = [{ name: 'cable', interfaces }];
  await server.api('POST', '/testbeds', { name: testbedId, devices: [], pools: roles, links });
  const secrets = new Map<string, string>();
  for (const { pool, agents: uses } of pools) {
    const { secret } = await server.api<{ secret: string }>('POST', '/enrolments', { pool, uses });
    secrets.set(pool, secret);
    for (let index = 0; index < uses; index += 1) {
      agents.start(`${pool}-${index}`, secret);
      // Staggered as by a scheduler, because there are only two cores.
      await wait(300);
    }
  }
  const until = performance.now() + timeoutMs;
  while ((await onlineCount()) < agentCount) {
    if (performance.now() > until) throw new Error(`only ${await onlineCount()} agents enrolled`);
    await wait(500);
  }
  return secrets;
}

function watchServer(): NodeJS.Timeout {
  return setInterval(() => {
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    usage.maxBytes = Math.max(usage.maxBytes, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024);
  }, 250);
}

/** CPU ticks of the server, user and system; 100 per second (getconf CLK_TCK). */
function cpuSeconds(): number {
  const fields = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Connections reported by the devices of a run; each has a different port. */
function portsOf({ results }: RunDetail): number[] {
  return results.filter(({ role }) => role !== 'broker').flatMap(({ localPorts }) => localPorts);
}

async function play(secrets: ReadonlyMap<string, string>): Promise<string[]> {
  const publishers = connections - 1;
  // Killed agents restart as in a cluster. The requested number is reached without them.
  const wanted = loadAgents - victims.length;
  const draft = makeQuickDraft({
    testbedId,
    retries: 2,
    sampleHz: 1,
    factors: {
      security: ['TLS 1.3'],
      qos: [1],
      publishers: [publishers],
      loadAgents: [wanted],
      loadPool: ['load'],
      rate: [0.1],
      link: ['cable'],
    },
  });
  draft.workload = { ...draft.workload, warmUpMs: 15_000, measureMs: 20_000, drainTimeoutMs: 20_000 };
  const id = await startExperiment(server, draft);
  say(`E-${id}: ${publishers} publishers over ${wanted} of ${loadAgents} load agents, 1 subscriber, TLS 1.3`);
  await untilIt(id, ({ runs }) => runs.some(({ status }) => status === 'running'));
  await wait(3_000);
  for (const name of victims) agents.kill(name);
  say(`killed ${victims.join(', ')} in mid-run`);
  await wait(5_000);
  for (const name of victims) agents.start(name, secrets.get('load') ?? '');
  const experiment = await untilIt(id, ({ status }) => isFinished(status));
  return judge(experiment);
}

async function judge({ runs, status }: ExperimentDetail): Promise<string[]> {
  const details = await Promise.all(runs.map(({ id }) => server.api<RunDetail>('GET', `/runs/${id}`)));
  for (const run of details) {
    say(`run ${run.id}: ${run.status}, ${run.results.length} results. ${run.failure?.message ?? ''}`);
  }
  const [lost, done, ...more] = details;
  if (status !== 'done' || lost?.status !== 'failed' || done?.status !== 'done' || more.length > 0) {
    return [`the experiment is ${status} with ${details.map((run) => run.status).join(', ')}`];
  }
  const ports = portsOf(done);
  const { metrics } = done;
  say(`sent ${metrics['count.sent']}, received ${metrics['count.received']}, ${ports.length} connections`);
  return [
    ...details.flatMap((run) => findDifferences(run)),
    ...(ports.length === connections && new Set(ports).size === connections
      ? []
      : [`${ports.length} connections, ${new Set(ports).size} of them different, instead of ${connections}`]),
    ...(metrics['count.lost'] === 0 && metrics['count.duplicate'] === 0
      ? []
      : [`${metrics['count.lost']} messages lost, ${metrics['count.duplicate']} came twice`]),
  ];
}

async function main(): Promise<number> {
  await server.start();
  const watch = watchServer();
  try {
    const secrets = await enrolAll();
    say(`${agentCount} agents enrolled`);
    const wrong = await play(secrets);
    const back = await onlineCount();
    if (back !== agentCount) wrong.push(`${back} agents are online at the end, not ${agentCount}`);
    const mib = (usage.maxBytes / 1_048_576).toFixed(0);
    say(`server: ${mib} MiB resident at most, ${cpuSeconds().toFixed(1)} s of CPU time`);
    for (const text of wrong) console.error(`FAIL ${text}`);
    say(
      wrong.length === 0
        ? 'Nothing is lost or duplicated. All figures are the sums over the agents.'
        : 'Failed.',
    );
    return wrong.length === 0 ? 0 : 1;
  } finally {
    clearInterval(watch);
    await agents.stop();
    await server.remove();
  }
}

stopOnSignal(async () => {
  await agents.stop();
  await server.remove();
});
process.exitCode = await main();
