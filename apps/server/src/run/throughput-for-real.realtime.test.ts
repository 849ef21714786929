import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProcesses, hold, makeOneRunDraft, playRun } from './testing/real-run.ts';
import { type Life, Rig } from './testing/rig.ts';

describe('throughput of a stalled broker', () => {
  let rig: Rig;
  let life: Life;
  beforeAll(async () => {
    rig = new Rig();
    life = await rig.start({ realAgents: true });
    expect(await life.whenReady(60_000)).toBe(true);
  });
  afterAll(() => rig.remove());

  /** Its real start in Unix ms, and its real duration: a busy machine delays both. */
  const holdBroker = async (ms: number) => {
    const heldAt = Date.now();
    await hold(findProcesses(life.agentPid('local-broker') ?? 0, 'mosquitto'), ms);
    return { heldAt, heldMs: Date.now() - heldAt };
  };

  it('within the run: all messages arrive in time, and the stall is flagged', async () => {
    let heldMs = 0;
    const { detail, verdict } = await playRun(life, makeOneRunDraft({}, { measureMs: 3000 }), async () => {
      await wait(500);
      ({ heldMs } = await holdBroker(1500));
    });
    expect(detail.metrics['count.lost']).toBe(0);
    expect(verdict('nothing-lost')?.status).toBe('passed');
    const { status, evidence = '' } = verdict('kept-arriving') ?? {};
    expect(status).toBe('failed');
    const [, gap = '', percent] =
      /^longest period without arrivals ([\d,]+) ms, ([\d.]+) % of the run/.exec(evidence) ?? [];
    const gapMs = Number(gap.replace(',', ''));
    expect(gapMs).toBeGreaterThan(heldMs - 200);
    expect(gapMs).toBeLessThan(heldMs + 1000);
    expect(Number(percent)).toBeCloseTo((100 * gapMs) / 3000, 0);
    expect(verdict('backlog-steady')?.status).toBe('passed');
    expect(detail.flagged).toBe(true);
  });

  it('up to the end: later arrivals do not count as throughput, and the backlog grew', async () => {
    let heldAt = 0;
    const { detail, verdict } = await playRun(life, makeOneRunDraft({}, { measureMs: 2000 }), async () => {
      await wait(1000);
      ({ heldAt } = await holdBroker(1500));
    });
    const { metrics } = detail;
    expect(metrics['count.lost']).toBe(0);
    expect(metrics['count.received']).toBe(metrics['count.sent']);
    // 200 messages a second up to there, about half of the time.
    const expected = (200 * (heldAt - (detail.measuredAt ?? 0))) / 2000;
    expect(metrics['rate.messages']).toBeGreaterThan(expected * 0.8);
    expect(metrics['rate.messages']).toBeLessThan(expected * 1.3);
    expect(metrics['rate.goodput']).toBeCloseTo((metrics['rate.messages'] ?? 0) * 800, 6);
    expect(verdict('backlog-steady')).toMatchObject({
      status: 'failed',
      evidence: expect.stringMatching(/deliveries in flight grew by \S+ out of \S+ in the measure phase/),
    });
    expect(verdict('kept-arriving')?.status).toBe('failed');
    const at = detail.results
      .find(({ role }) => role === 'broker')
      ?.phases.find(({ phase }) => phase === 'measure');
    const arrived = (metrics['rate.messages'] ?? 0) * 2;
    expect(metrics['cpuPerMessage.broker']).toBeCloseTo((at?.cpuUs ?? 0) / arrived, 3);
  });

  it('for longer than the drain timeout, at QoS 0: lost and received messages are both reported', async () => {
    const draft = makeOneRunDraft({ factors: { qos: [0] } }, { measureMs: 1000, drainTimeoutMs: 800 });
    let heldAt = 0;
    const { detail, verdict } = await playRun(life, draft, async () => {
      await wait(700);
      ({ heldAt } = await holdBroker(4000));
    });
    expect(verdict('little-lost')).toMatchObject({
      status: 'failed',
      evidence: expect.stringMatching(/^[1-9]\d* of \d+ never arrived/),
    });
    const expected = 200 * Math.min(1, (heldAt - (detail.measuredAt ?? 0)) / 1000);
    expect(detail.metrics['rate.messages']).toBeGreaterThan(expected * 0.7);
    expect(detail.metrics['rate.messages']).toBeLessThan(expected * 1.3);
    expect(detail.flagged).toBe(true);
  });
});
