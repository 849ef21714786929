import { join } from 'node:path';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, findAgentProgram } from '../devices/local-testbed.ts';
import { makeEnrolmentStore } from '../store/settings/device-store.ts';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from './testing/rig.ts';

const testbedId = 'cluster';
const pools = [
  { pool: 'hub', role: 'broker' },
  { pool: 'load', role: 'publisher' },
  { pool: 'sink', role: 'subscriber' },
] as const;
const pods = { hub: 1, load: 4, sink: 1 };

describe('runs on enrolled agents', () => {
  let rig: Rig;
  let life: Life;
  const agents = new Map<string, AgentProcess>();
  const enrolled = () => life.devices.testbeds.findTestbed(testbedId)?.devices ?? [];
  beforeAll(async () => {
    rig = new Rig();
    life = await rig.start({ realLoads: true });
    const enrolments = makeEnrolmentStore(life.database);
    const interfaces = Object.fromEntries(pools.map(({ pool }) => [pool, 'lo']));
    const links = [{ name: 'cable', interfaces }];
    life.testbeds.saveTestbed({ testbedId, name: 'Cluster', links, pools, devices: [] });
    for (const { pool } of pools) {
      const uses = pods[pool];
      const { secret } = enrolments.createEnrolment({ pool, uses, hours: 1 });
      for (let index = 0; index < uses; index += 1) {
        const name = `${pool}-${index}`;
        const agent = new AgentProcess({
          name,
          program: findAgentProgram(process.env.MQTTLAB_TEST_AGENT),
          args: ['--server', life.url, '--name', name, '--data', join(rig.folder, 'pods', name)],
          environment: { MQTTLAB_ENROL_TOKEN: secret },
          onLog: () => {},
          // How long a cluster takes to restart a container.
          retryMs: 3_000,
        });
        agents.set(name, agent);
        agent.start();
      }
    }
    await eventually('six agents', () => enrolled().length === 6);
    expect(enrolments.listEnrolments()).toEqual([]);
  });
  afterAll(async () => {
    await Promise.all([...agents.values()].map((agent) => agent.stop()));
    await rig.remove();
  });

  it('divides publishers among the planned number of agents of a pool, and repeats a run that lost one', async () => {
    const draft = makeTinyDraft({
      testbedId,
      workload: makeWorkload({ warmUpMs: 2_000, measureMs: 1_000, drainTimeoutMs: 5000, window: 100 }),
      repetitions: 1,
      retries: 2,
    });
    const levels = { publishers: [12], loadAgents: [3], loadPool: ['load'], rate: [20], link: ['cable'] };
    const { id } = addExperiment(life, {
      ...draft,
      factors: { ...draft.factors, security: ['plain'], qos: [1], ...levels },
    });
    await life.scheduler.act(id, 'start');
    const running = () => life.runs.listRuns(id).find(({ status }) => status === 'running');
    const first = await eventually('a run', running);
    const [, ...taking] = [...life.runs.readRunDevices(first.id).keys()].sort();
    expect(taking).toEqual(['load-0', 'load-1', 'load-2', 'sink-0']);
    process.kill(agents.get('load-1')?.pid ?? 0, 'SIGKILL');
    await eventually('the end', () => life.experiments.findExperiment(id)?.status === 'done');

    const [lost, repeated, ...more] = life.runs.listRuns(id);
    expect(more).toEqual([]);
    expect(lost).toMatchObject({ status: 'failed', failure: { code: 'agent-lost' } });
    expect(repeated).toMatchObject({ status: 'done', attempt: 2 });
    const detail = life.runs.findRunDetail(repeated?.id ?? 0);
    expectSums(detail, life.runs.listRoleResults(repeated?.id ?? 0));
    const results = life.runs.listRoleResults(repeated?.id ?? 0);
    const shares = results.filter(({ role }) => role === 'publisher').map(({ share }) => share.of);
    expect(shares).toEqual([3, 3, 3]);
    // It reconnected as the same device, with the token from its enrolment.
    expect(enrolled().map(({ deviceId }) => deviceId)).toHaveLength(6);
  });
});

type Results = ReturnType<Life['runs']['listRoleResults']>;

/** Every figure is the sum of the agents' reports. */
function expectSums(detail: RunDetail | null, results: Results): void {
  const sum = (role: string, read: (result: Results[number]) => number | undefined) =>
    results
      .filter((result) => result.role === role)
      .reduce((total, result) => total + (read(result) ?? 0), 0);
  const sent = sum('publisher', ({ counters }) => counters?.sent);
  expect(sent).toBeGreaterThan(0);
  expect(detail?.metrics).toMatchObject({
    'count.sent': sent,
    'count.received': sum('subscriber', ({ counters }) => counters?.received),
    'count.lost': 0,
    'count.duplicate': 0,
  });
}
