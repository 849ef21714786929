import { join } from 'node:path';
import { judgeRun } from '@mqttlab/shared/catalogue/verdicts';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueAgentToken } from '../devices/agent-tokens.ts';
import { AgentProcess, findAgentProgram } from '../devices/local-testbed.ts';
import { makeDeviceStore } from '../store/settings/device-store.ts';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from './testing/rig.ts';

const testbedId = 'five';
/** Below the ports that the kernel hands out. */
const brokerPorts = { first: 24_000, last: 24_099 };
const devices = [
  { deviceId: 'hub', name: 'Hub', role: 'broker' },
  { deviceId: 'pub-a', name: 'Pub A', role: 'publisher' },
  { deviceId: 'pub-b', name: 'Pub B', role: 'publisher' },
  { deviceId: 'sub-a', name: 'Sub A', role: 'subscriber' },
  { deviceId: 'sub-b', name: 'Sub B', role: 'subscriber' },
] as const;

describe('runs on several devices of a role', () => {
  let rig: Rig;
  let life: Life;
  let agents: AgentProcess[] = [];
  beforeAll(async () => {
    rig = new Rig();
    life = await rig.start({ realLoads: true });
    const rows = makeDeviceStore(life.database);
    const tokens = devices.map((device) => issueAgentToken(rows, { ...device, testbedId: '' }));
    const interfaces = Object.fromEntries(devices.map(({ deviceId }) => [deviceId, 'lo']));
    const links = [{ name: 'cable', interfaces }];
    life.testbeds.saveTestbed({ testbedId, name: 'Five', links, devices, brokerPorts });
    agents = devices.map(({ deviceId, name }, i) => {
      const data = join(rig.folder, 'five', deviceId);
      return new AgentProcess({
        name,
        program: findAgentProgram(process.env.MQTTLAB_TEST_AGENT),
        args: ['--server', life.url, '--name', deviceId, '--data', data],
        environment: { MQTTLAB_AGENT_TOKEN: tokens[i] ?? '' },
        onLog: () => {},
      });
    });
    for (const agent of agents) agent.start();
    const allThere = () =>
      life.devices.testbeds.findTestbed(testbedId)?.devices.every(({ online }) => online) ?? false;
    await eventually('five agents', allThere);
  });
  afterAll(async () => {
    await Promise.all(agents.map((agent) => agent.stop()));
    await rig.remove();
  });

  async function carryOut(levels: Record<string, (number | string)[]>, measureMs = 500) {
    const draft = makeTinyDraft({
      testbedId,
      workload: makeWorkload({ warmUpMs: 1_500, measureMs, drainTimeoutMs: 5000, window: 100 }),
      repetitions: 1,
    });
    const { id, plan } = addExperiment(life, {
      ...draft,
      factors: { ...draft.factors, security: ['plain'], qos: [1], link: ['cable'], ...levels },
    });
    await life.scheduler.act(id, 'start');
    await eventually(`experiment ${id} done`, () => life.experiments.findExperiment(id)?.status === 'done');
    const [run] = life.runs.listRuns(id);
    expect(run?.failure ?? null).toBeNull();
    const results = life.runs.listRoleResults(run?.id ?? 0);
    const [treatment] = plan.treatments;
    if (!run || !treatment) throw new Error('there is no run');
    return { run, results, spec: treatment.spec };
  }

  it('divides the load, and each subscriber accounts for every message of every device', async () => {
    const { run, results, spec } = await carryOut({ publishers: [3], subscribers: [3] });
    const speakers = (text: RegExp) =>
      life.runs.listRunLogLines(run.id).flatMap(({ line }) => (text.test(line.text) ? line.source : []));
    expect(speakers(/^publisher is ready/).sort()).toEqual(['Pub A', 'Pub B']);
    expect(speakers(/^mosquitto .*listens/)).toEqual(['agent']);
    const published = results.map(({ role, device, share }) => [role, device, share.index, share.of]);
    expect(published).toEqual([
      ['broker', 'Hub', 0, 1],
      ['publisher', 'Pub A', 0, 2],
      ['publisher', 'Pub B', 1, 2],
      ['subscriber', 'Sub A', 0, 2],
      ['subscriber', 'Sub B', 1, 2],
    ]);
    const [, pubA, pubB, subA, subB] = results.map(({ counters }) => counters);
    const sent = (pubA?.sent ?? 0) + (pubB?.sent ?? 0);
    expect(pubA?.sent).toBe(2 * (pubB?.sent ?? 0));
    expect(sent).toBeGreaterThan(0);
    expect([subA?.received, subB?.received]).toEqual([2 * sent, sent]);
    expect(subA).toMatchObject({ duplicate: 0, reordered: 0 });
    const verdicts = judgeRun({ spec, results });
    for (const id of ['negotiated-as-asked', 'nothing-lost', 'broker-stayed-up']) {
      expect(verdicts.find((verdict) => verdict.id === id)?.status, id).toBe('passed');
    }
    expect(run.metrics).toMatchObject({ 'count.sent': sent, 'count.received': 3 * sent, 'count.lost': 0 });
    const arrived = results.map(({ throughput }) => throughput?.arrived);
    expect(arrived.filter((one) => one)).toHaveLength(2);
    const meanwhile = arrived.reduce((sum, one) => sum + (one?.firstHalf ?? 0) + (one?.secondHalf ?? 0), 0);
    expect(run.metrics['rate.messages']).toBeCloseTo(meanwhile / 0.5, 6);
    const ids = results.flatMap(({ localPorts }) => localPorts);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('starts its broker on a port of the testbed, also of another kind and for CoAP', async () => {
    for (const levels of [{}, { broker: ['embedded'] }, { applicationProtocol: ['coap confirmable'] }]) {
      const { results } = await carryOut(levels);
      const port = results.find(({ role }) => role === 'broker')?.environment['broker.port'];
      expect(port).toBeGreaterThanOrEqual(brokerPorts.first);
      expect(port).toBeLessThanOrEqual(brokerPorts.last);
    }
  });

  it('leaves out devices without work', async () => {
    const { results } = await carryOut({ publishers: [1], subscribers: [1] });
    expect(results.map(({ device }) => device)).toEqual(['Hub', 'Pub A', 'Sub A']);
  });
});
