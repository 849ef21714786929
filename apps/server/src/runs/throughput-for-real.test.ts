import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProcesses, hold, makeOneRunDraft, playRun } from './testing/real-run.ts';
import { type Life, Rig } from './testing/rig.ts';

describe('throughput of a broker that stands still', { timeout: 90_000 }, () => {
  let rig: Rig;
  let life: Life;
  beforeAll(async () => {
    rig = new Rig();
    life = await rig.start({ realAgents: true });
    expect(await life.lab.whenReady(30_000)).toBe(true);
  }, 60_000);
  afterAll(() => rig.remove(), 60_000);

  const holdBroker = (ms: number) =>
    hold(findProcesses(life.lab.agentPid('local-broker') ?? 0, 'mosquitto'), ms);

  it('within the run: all messages arrive in time, and what says so is flagged', async () => {
    const { detail, verdict } = await playRun(life, makeOneRunDraft({}, { measureMs: 3000 }), async () => {
      await wait(500);
      await holdBroker(1500);
    });
    expect(detail.metrics['count.lost']).toBe(0);
    expect(verdict('nothing-lost')?.status).toBe('passed');
    expect(verdict('kept-arriving')).toMatchObject({
      status: 'failed',
      evidence: expect.stringMatching(
        /^nothing arrived for 1,[3-7]\d\d ms at most, (4|5)\d\.\d % of the run/,
      ),
    });
    expect(verdict('backlog-steady')?.status).toBe('passed');
    expect(detail.flagged).toBe(true);
  });

  it('up to the end: what arrives later is no throughput, and the backlog grew', async () => {
    const { detail, verdict } = await playRun(life, makeOneRunDraft({}, { measureMs: 2000 }), async () => {
      await wait(1000);
      await holdBroker(1500);
    });
    const { metrics } = detail;
    expect(metrics['count.lost']).toBe(0);
    expect(metrics['count.received']).toBe(metrics['count.sent']);
    // Half of the time at 200 messages of 100 bytes a second.
    expect(metrics['rate.messages']).toBeGreaterThan(80);
    expect(metrics['rate.messages']).toBeLessThan(130);
    expect(metrics['rate.goodput']).toBeCloseTo((metrics['rate.messages'] ?? 0) * 800, 6);
    expect(verdict('backlog-steady')).toMatchObject({
      status: 'failed',
      evidence: expect.stringMatching(/deliveries more under way at the end of measuring than at its start/),
    });
    expect(verdict('kept-arriving')?.status).toBe('failed');
    const at = detail.results
      .find(({ role }) => role === 'broker')
      ?.phases.find(({ phase }) => phase === 'measure');
    const arrived = (metrics['rate.messages'] ?? 0) * 2;
    expect(metrics['cpuPerMessage.broker']).toBeCloseTo((at?.cpuUs ?? 0) / arrived, 3);
  });

  it('for longer than anybody waits, at QoS 0: what is lost is told beside what arrived', async () => {
    const draft = makeOneRunDraft({ factors: { qos: [0] } }, { measureMs: 1000, drainTimeoutMs: 800 });
    const { detail, verdict } = await playRun(life, draft, async () => {
      await wait(700);
      await holdBroker(4000);
    });
    expect(verdict('little-lost')).toMatchObject({
      status: 'failed',
      evidence: expect.stringMatching(/^[1-9]\d* of \d+ never arrived/),
    });
    expect(detail.metrics['rate.messages']).toBeGreaterThan(100);
    expect(detail.metrics['rate.messages']).toBeLessThan(180);
    expect(detail.flagged).toBe(true);
  });
});
