import { describe, expect, it } from 'vitest';
import { type Impairment, noImpairment, type ShapingOutcome } from '../../domain/plans/impairment.ts';
import type { RunEvidence } from '../../domain/runs/verdict.ts';
import { changeRole, makeEvidence } from '../../testing/evidence.ts';
import { makeTrialSpec } from '../../testing/factories.ts';
import { summariseMetrics } from '../metrics.ts';
import { judgeRun } from '../verdicts.ts';
import { retransmissionsOf, shapingRows, startSkew } from './shaping-evidence.ts';

const flows = ['towards the broker', 'from the broker'] as const;

function makeOutcome(change: Partial<ShapingOutcome> = {}): ShapingOutcome {
  return {
    flow: 'towards the broker',
    at: 'input',
    driver: 'nftables',
    lossPercent: 2,
    delayMs: 0,
    jitterMs: 0,
    rateMbit: null,
    overLink: true,
    overLoopback: false,
    interfaces: [],
    burstBytes: 0,
    packets: 2000,
    dropped: 40,
    bytes: 2e5,
    load: { bytes: 1e5, durationUs: 1e6 },
    inPlace: true,
    ...change,
  };
}

/** A Run whose broker's device did this, in both directions. */
function makeImpaired(asked: Partial<Impairment>, change: Partial<ShapingOutcome> = {}): RunEvidence {
  const impairment = { ...noImpairment, ...asked };
  const shaping = flows.map((flow) => makeOutcome({ flow, ...asked, ...change } as Partial<ShapingOutcome>));
  return changeRole({ ...makeEvidence(), spec: makeTrialSpec({ impairment }) }, 'broker', { shaping });
}

function withRoundTrip(evidence: RunEvidence, leastRoundTripMs: number | null): RunEvidence {
  const tcp = {
    sentSegments: 1000,
    retransmittedSegments: 20,
    networkStack: 'boot-1 net:[1]',
    connections: { count: 1, retransmitted: 4, roundTripMs: 50, leastRoundTripMs },
  };
  return changeRole(changeRole(evidence, 'publisher', { tcp }), 'subscriber', { tcp });
}

const verdictOf = (evidence: RunEvidence) =>
  judgeRun(evidence).find(({ id }) => id === 'impairment-applied')?.status;

describe('loss', () => {
  it.each([
    [2000, 40, 'passed'],
    [2000, 25, 'passed'],
    [2000, 0, 'failed'],
    [2000, 90, 'failed'],
    // Few packets prove nothing against it, but none at all is no loss.
    [20, 0, 'passed'],
    [0, 0, 'failed'],
    [1_000_000, 21_000, 'failed'],
    [1_000_000, 20_200, 'passed'],
  ])('of 2 % on %i packets with %i dropped: %s', (packets, dropped, status) => {
    expect(verdictOf(makeImpaired({ lossPercent: 2 }, { packets, dropped }))).toBe(status);
  });

  it('is wrongly doubted in about one of 10,000 runs, and every removal is seen', () => {
    // Exact tails: of 1,000 packets at 2 % 38 are rarer than 1 in 10,000 on one side, 36 are not.
    expect(verdictOf(makeImpaired({ lossPercent: 2 }, { packets: 1000, dropped: 36 }))).toBe('passed');
    expect(verdictOf(makeImpaired({ lossPercent: 2 }, { packets: 1000, dropped: 40 }))).toBe('failed');
    expect(verdictOf(makeImpaired({ lossPercent: 2 }, { inPlace: false }))).toBe('failed');
  });

  it('that was asked for in one direction is looked for in that one only', () => {
    const evidence = makeImpaired({ lossPercent: 2, direction: 'from the broker' });
    expect(shapingRows(evidence).map(({ flow }) => flow)).toEqual(['from the broker', 'from the broker']);
    const broker = evidence.results.find(({ role }) => role === 'broker');
    const towards = broker?.shaping.filter(({ flow }) => flow === 'towards the broker') ?? [];
    expect(verdictOf(changeRole(evidence, 'broker', { shaping: towards }))).toBe('failed');
  });
});

describe('delay', () => {
  const asked = { lossPercent: 0, delayMs: 20, jitterMs: 5 };
  it.each([
    [41, 'passed'],
    // Twice 20 - 5 ms, and a millisecond for the timers.
    [29.5, 'passed'],
    [12, 'failed'],
  ])('of 20 ± 5 ms each way with a round trip of %d ms: %s', (minMs, status) => {
    expect(verdictOf(withRoundTrip(makeImpaired(asked, { driver: 'netem' }), minMs))).toBe(status);
  });

  it('goes by how long it took to connect where no connection stood at the end', () => {
    // The factory connects in 0.2 ms.
    expect(verdictOf(makeImpaired(asked, { driver: 'netem' }))).toBe('failed');
  });
});

describe('rate', () => {
  const asked = { lossPercent: 0, rateMbit: 1 };
  it.each([
    [125_000, 'passed'],
    [190_000, 'passed'],
    [250_000, 'failed'],
  ])('of 1 Mbit/s with a burst of 65 kB and %i B in a second: %s', (bytes, status) => {
    const load = { bytes, durationUs: 1e6 };
    expect(verdictOf(makeImpaired(asked, { driver: 'tbf', load, burstBytes: 65_000 }))).toBe(status);
  });

  it('that was not read twice is not proven', () => {
    expect(verdictOf(makeImpaired(asked, { driver: 'tbf', load: null }))).toBe('failed');
  });
});

it('segments sent again are counted once for each network stack', () => {
  const evidence = withRoundTrip(makeEvidence(), 1);
  expect(retransmissionsOf(evidence)).toEqual({ again: 20, sent: 1000 });
  expect(summariseMetrics(evidence)).toMatchObject({ 'tcp.retransmissions': 20, 'tcp.retransmitted': 2 });
  expect(summariseMetrics(makeEvidence())).toMatchObject({ 'tcp.retransmissions': null });
});

/** Each device starts the given time late, in µs; every second one is on a separate machine. */
function makeStarts(lateUs: readonly number[], ownMachine: boolean): RunEvidence {
  const evidence = makeEvidence();
  const clock = {
    before: { offsetUs: 5e6, uncertaintyUs: 40 },
    after: { offsetUs: 5e6 + 100, uncertaintyUs: 30 },
  };
  return {
    ...evidence,
    results: evidence.results.map((result, i) => ({
      ...result,
      ...(ownMachine && i > 0
        ? { clock, environment: { ...result.environment, 'device.bootId': `boot-${i + 1}` } }
        : {}),
      phases: result.phases.map((record) =>
        record.phase === 'measure' ? { ...record, startUs: 1e6 + (lateUs[i] ?? 0) } : record,
      ),
    })),
  };
}

it('is the time from the first device to the last, with the bound of their clocks', () => {
  expect(startSkew(makeStarts([300, 0, 1200], false))).toEqual({
    skewUs: 1200,
    boundUs: 0,
    first: 'publisher',
    last: 'subscriber',
  });
  expect(startSkew(makeStarts([300, 0, 1200], true))).toMatchObject({ skewUs: 1200, boundUs: 260 });
  expect(startSkew(makeStarts([0, 1, 1200], true))).toMatchObject({ boundUs: 130 });
  expect(summariseMetrics(makeStarts([300, 0, 1200], false))['start.skew']).toBe(1.2);
});

it('is nothing where one device measured alone, and unbounded where clocks were not compared', () => {
  const all = makeStarts([0, 10, 20], true);
  expect(startSkew({ results: all.results.slice(0, 1) })).toBeNull();
  const unknown = all.results.map((result) => ({ ...result, clock: null }));
  expect(startSkew({ results: unknown })?.boundUs).toBeNull();
});
