import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeOneRunDraft, playRun } from './testing/real-run.ts';
import { Relay } from './testing/relay.ts';
import { type Life, Rig } from './testing/rig.ts';

/** In ms: the resulting clock bound is far above a tenth of any latency on loopback. */
const clockDelayMs = 60;

describe('devices on separate machines, behind a path that can be slow in one direction', {
  timeout: 90_000,
}, () => {
  let relay: Relay;
  let rig: Rig;
  let life: Life;
  beforeAll(async () => {
    relay = new Relay();
    rig = new Rig();
    life = await rig.start({ realAgents: true, dialThrough: (serverUrl) => relay.through(serverUrl) });
    expect(await life.whenReady(60_000)).toBe(true);
  });
  afterEach(() => {
    relay.meddling.clockDelayMs = 0;
    relay.meddling.down = (text) => text;
  });
  afterAll(async () => {
    await rig.remove();
    relay.stop();
  });

  it('a wrong clock: the run uses round trips, reports it, and the true offset is within the bound', async () => {
    relay.meddling.clockDelayMs = clockDelayMs;
    const { detail, verdict } = await playRun(life, makeOneRunDraft());
    const publisher = detail.results.find(({ role }) => role === 'publisher');
    const { before, after } = publisher?.clock ?? {};
    // It is really one machine: the true offset is 0, and the measured one is half the delay.
    expect(before?.offsetUs).toBeLessThan(-clockDelayMs * 400);
    for (const offset of [before, after]) {
      expect(Math.abs(offset?.offsetUs ?? Number.NaN)).toBeLessThanOrEqual(offset?.uncertaintyUs ?? 0);
    }
    expect(verdict('clock-good-enough')).toMatchObject({
      status: 'passed',
      evidence: expect.stringContaining('using round-trip latency'),
    });
    expect(detail.bases?.latency).toBe('round-trip');
    const roundTrip = publisher?.histograms.roundTrip;
    expect(roundTrip?.count).toBe(publisher?.counters?.sent);
    expect(detail.metrics['latency.max']).toBeCloseTo((roundTrip?.max ?? 0) / 1000, 6);
    expect(detail.metrics['clock.uncertainty']).toBeGreaterThan(clockDelayMs / 2);
  });

  it('a wrong clock on a device that cannot measure round trips: the run is flagged', async () => {
    relay.meddling.clockDelayMs = clockDelayMs;
    relay.meddling.down = (text) => text.replace('"mirror":true', '"mirror":false');
    const { detail, verdict } = await playRun(life, makeOneRunDraft());
    expect(verdict('clock-good-enough')).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('limit 10 % of the median'),
    });
    expect(detail.flagged).toBe(true);
  });

  it('a clock that drifts between the two exchanges is detected by the second', async () => {
    const { detail } = await playRun(life, makeOneRunDraft(), async () => {
      relay.meddling.clockDelayMs = clockDelayMs;
    });
    const clock = detail.results.find(({ role }) => role === 'subscriber')?.clock;
    expect(clock?.before.uncertaintyUs).toBeLessThan((clock?.after?.uncertaintyUs ?? 0) / 2);
    expect(detail.metrics['clock.uncertainty']).toBeGreaterThan(clockDelayMs / 2);
    expect(detail.bases?.latency).toBe('round-trip');
  });

  it('a wrong suite: devices that negotiate another one than planned', async () => {
    relay.meddling.down = (text) => text.replaceAll('TLS_AES_256_GCM_SHA384', 'TLS_AES_128_GCM_SHA256');
    const factors = { security: ['TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'] };
    const { detail, verdict } = await playRun(life, makeOneRunDraft({ factors }));
    expect(detail.results.find(({ role }) => role === 'publisher')?.negotiated?.cipherSuite).toBe(
      'TLS_AES_128_GCM_SHA256',
    );
    expect(verdict('negotiated-as-asked')).toMatchObject({
      status: 'failed',
      evidence: expect.stringContaining('TLS_AES_128_GCM_SHA256 instead of TLS_AES_256_GCM_SHA384'),
    });
  });
});
