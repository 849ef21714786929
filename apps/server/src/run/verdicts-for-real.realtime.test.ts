import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeComparison } from '../results/compare.ts';
import { findProcesses, hold, makeOneRunDraft, playRun } from './testing/real-run.ts';
import { type Life, Rig } from './testing/rig.ts';

/** Files of a machine that reports its throttling and temperature; its network is the real one. */
function makeSysRoot() {
  const root = mkdtempSync(join(tmpdir(), 'mqttlab-sys-'));
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  mkdirSync(join(root, 'class'), { recursive: true });
  symlinkSync('/sys/class/net', join(root, 'class/net'));
  const throttle = (count: number) =>
    write('devices/system/cpu/cpu0/thermal_throttle/core_throttle_count', `${count}\n`);
  const heat = () => {
    write('class/thermal/thermal_zone0/type', 'x86_pkg_temp\n');
    write('class/thermal/thermal_zone0/temp', '52000\n');
  };
  throttle(7);
  heat();
  const loseSensor = () => write('class/thermal/thermal_zone0/temp', 'no device\n');
  return { root, throttle, heat, loseSensor, remove: () => rmSync(root, { recursive: true }) };
}

describe('each verdict fails when its fault really occurs', () => {
  const sys = makeSysRoot();
  const spinning: ChildProcess[] = [];
  let rig: Rig;
  let life: Life;
  beforeAll(async () => {
    rig = new Rig();
    // The agents inherit this.
    vi.stubEnv('MQTTLAB_SYS_ROOT', sys.root);
    life = await rig.start({ realAgents: true });
    expect(await life.whenReady(60_000)).toBe(true);
  });
  afterEach(() => {
    for (const child of spinning.splice(0)) child.kill('SIGKILL');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rig.remove();
    sys.remove();
  });

  const processesOf = (role: 'broker' | 'publisher', word: string) =>
    findProcesses(life.agentPid(`local-${role}`) ?? 0, word);

  it('a device that throttles, and a sensor that is lost: the rest of the run is still measured', async () => {
    const { detail, verdict } = await playRun(life, makeOneRunDraft({}, { measureMs: 2500 }), async () => {
      sys.throttle(9);
      await wait(1200);
      sys.loseSensor();
    });
    sys.heat();
    expect(verdict('no-throttling')).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('2 events (too hot)'),
    });
    expect(verdict('collectors-worked')).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('temperature'),
    });
    expect(detail.metrics['temperature.broker']).toBe(52);
    expect(detail.metrics['cpu.broker']).toBeGreaterThan(0);
    expect(detail.metrics['energy.total']).toBeGreaterThan(0);
    expect(detail.bases).toMatchObject({ energy: 'modelled', latency: 'one-way' });
  });

  it('a starved generator: the publisher is suspended for a third of the time', async () => {
    const { verdict } = await playRun(life, makeOneRunDraft(), () =>
      hold(processesOf('publisher', 'load-worker'), 350),
    );
    expect(verdict('kept-schedule')).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('lateness P99'),
    });
  });

  it('lost messages: the broker is suspended until all waits have ended', async () => {
    const draft = makeOneRunDraft({}, { measureMs: 800, drainTimeoutMs: 800 });
    const { detail, verdict } = await playRun(life, draft, async () => {
      await wait(500);
      await hold(processesOf('broker', 'mosquitto'), 4000);
    });
    expect(verdict('nothing-lost')).toMatchObject({
      status: 'failed',
      evidence: expect.stringMatching(/[1-9]\d* lost/),
    });
    expect(detail.flagged).toBe(true);
  });

  it('a short warm-up: messages are slow at first', async () => {
    const draft = makeOneRunDraft({}, { warmUpMs: 0, measureMs: 9000 });
    const { verdict } = await playRun(life, draft, async () => {
      const broker = processesOf('broker', 'mosquitto');
      for (const end = Date.now() + 3500; Date.now() < end; await wait(5)) await hold(broker, 60);
    });
    expect(verdict('warm-up-long-enough')).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('in latency'),
    });
  });

  it('a busy device: other programs take every core', async () => {
    for (let i = 0; i < availableParallelism() * 2; i += 1) {
      spinning.push(spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
    }
    const { verdict } = await playRun(life, makeOneRunDraft());
    expect(verdict('device-idle')).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('other programs used'),
    });
  });

  it('too few samples: flagged runs are excluded from analysis and counted', async () => {
    const { experimentId, detail, verdict } = await playRun(
      life,
      makeOneRunDraft({ factors: { rate: [5] } }),
    );
    expect(verdict('enough-messages')).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('5 messages'),
    });
    expect(detail.metrics['latency.p50']).toBeNull();
    expect(detail.flagged).toBe(true);
    expect(life.experiments.findExperimentSummary(experimentId)?.progress).toMatchObject({
      done: 1,
      flagged: 1,
    });
    // Only its latencies are excluded, not its counts.
    expect(detail.metrics['latency.mean']).toBeGreaterThan(0);
    expect(life.runs.readExperimentValues(experimentId, { metric: 'latency.mean' })).toEqual([]);
    expect(life.runs.readExperimentValues(experimentId, { metric: 'count.sent' })).toHaveLength(1);
    const compared = await makeComparison(life, { experiments: String(experimentId) });
    expect(compared.flaggedRuns).toBe(1);
    expect(compared.treatments[0]).toMatchObject({ latency: null, runs: [{ flagged: true }] });
    expect(compared.treatments[0]?.latencyWithFlagged?.messages).toBe(5);
  });
});
