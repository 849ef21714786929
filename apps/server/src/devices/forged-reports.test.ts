import type { AgentFrame } from '@mqttlab/shared/messages/agent';
import type { LiveEvent } from '@mqttlab/shared/messages/live';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addExperiment, eventually, type Life, makeTinyDraft, Rig } from '../run/testing/rig.ts';
import { ScriptedAgent } from '../run/testing/scripted-agent.ts';
import { makeDeviceStore } from '../store/settings/device-store.ts';
import { issueAgentToken } from './agent-tokens.ts';

let rig: Rig;
let life: Life;
let published: LiveEvent[];
let rogue: ScriptedAgent;
beforeEach(async () => {
  rig = new Rig();
  life = await rig.start();
  expect(await life.whenReady(240_000)).toBe(true);
  published = [];
  life.live.subscribe((event) => void published.push(event));
  const device = { deviceId: 'rogue', name: 'rogue', role: 'publisher', testbedId: 'elsewhere' } as const;
  rogue = new ScriptedAgent('publisher');
  await rogue.connect(life.url, issueAgentToken(makeDeviceStore(life.database), device));
});
afterEach(async () => {
  rogue.disconnect();
  await rig.remove();
});

const refused = () => life.devices.agents.countRefusedReports();
const failure = { code: 'broker-died', message: 'forged', remedy: 'none' };
const line = { at: 1, level: 'error', source: 'server', text: 'forged' } as const;
const makeProgress = (role: 'publisher' | 'broker') => ({
  role,
  atMs: 1,
  messages: 987_654,
  messagesPerSecond: 1,
  late: 0,
  latencyMs: null,
  cpuPercent: null,
  deviceCpuPercent: null,
  residentBytes: null,
  wireBytesPerSecond: null,
});

async function startRun() {
  rig.loadClock.hold();
  const { id } = addExperiment(life, makeTinyDraft({ repetitions: 1 }));
  await life.scheduler.act(id, 'start');
  const find = () => life.runs.listRuns(id)[0];
  const run = await eventually('running', () => find()?.status === 'running' && find());
  return { id, runId: run.id, find };
}

describe('a token', () => {
  it('cannot report on a run in which its device does not participate', async () => {
    const { id, runId, find } = await startRun();
    const frames: AgentFrame[] = [
      { type: 'trouble', runId, role: 'publisher', error: failure },
      { type: 'phase', runId, role: 'publisher', phase: 'tls', durationUs: 987_654 },
      { type: 'progress', runId, progress: makeProgress('publisher') },
      { type: 'log', runId, line },
    ];
    for (const frame of frames) rogue.send(frame);
    await eventually('refusals', () => Object.keys(refused()).length === 4);
    expect(refused()).toEqual({ trouble: 1, phase: 1, progress: 1, log: 1 });
    expect(JSON.stringify(published)).not.toMatch(/987654|forged/);
    expect(find()?.status).toBe('running');
    // Logged once, however often it happens.
    expect(
      life.runs.listRecentLogLines(200).filter(({ line }) => /does not have that role/.test(line.text)),
    ).toHaveLength(1);
    await life.scheduler.act(id, 'cancel');
  });

  it('reports under the role of its device, and signs with its name', async () => {
    const { id, runId, find } = await startRun();
    const { publisher } = rig.agents;
    publisher.send({ type: 'trouble', runId, role: 'broker', error: failure });
    publisher.send({ type: 'progress', runId, progress: makeProgress('broker') });
    publisher.send({ type: 'log', runId, line: { ...line, text: 'said by the publisher' } });
    publisher.send({ type: 'log', runId: null, line: { ...line, text: 'said outside of a run' } });
    publisher.send({ type: 'progress', runId, progress: makeProgress('publisher') });
    await eventually('own progress', () => published.some(({ event }) => event === 'progress'));
    expect(refused()).toEqual({ trouble: 1, progress: 1 });
    expect(find()?.status).toBe('running');
    const lines = life.runs.listRecentLogLines(200).map(({ line }) => line);
    for (const text of ['said by the publisher', 'said outside of a run'])
      expect(lines.find((one) => one.text === text)?.source).toBe('local-publisher');
    await life.scheduler.act(id, 'cancel');
  });

  it('counts refused results', async () => {
    const { id, runId } = await startRun();
    await life.scheduler.act(id, 'cancel');
    const result = await eventually('a result', () => life.runs.listRoleResults(runId)[0]);
    const closed = rogue.closed();
    rogue.send({ type: 'result', key: `${runId}-${result.role}`, runId, result });
    await Promise.race([closed, eventually('a refusal', () => refused().result === 1)]);
    expect(refused()).toEqual({ result: 1 });
  });

  it('closes its connection when its token has ended', async () => {
    const closed = rogue.closed();
    life.database.run("UPDATE devices SET token_hash = 'another' WHERE id = 'rogue'");
    expect(await closed).toMatchObject({ code: 1008, reason: 'its token has ended' });
  });
});
