import { fc } from '@mqttlab/shared/testing/properties';
import { describe, expect, it } from 'vitest';
import { makeTestSpec } from '../../testing/specs.ts';
import {
  dueCount,
  dueCountBefore,
  dueUsOf,
  joinPublishers,
  makeSchedule,
  messagePeriodUs,
  type Schedule,
} from './schedule.ts';

const steady: fc.Arbitrary<Schedule> = fc.record({
  startUs: fc.double({ min: 0, max: 1e13, noNaN: true }),
  periodUs: fc.double({ min: 0.1, max: 1e8, noNaN: true }),
  publishers: fc.integer({ min: 1, max: 500 }),
});
const inBursts: fc.Arbitrary<Schedule> = fc
  .tuple(steady, fc.integer({ min: 1, max: 1_000 }), fc.double({ min: 0, max: 1e8, noNaN: true }))
  .map(([schedule, messages, offUs]) => ({
    ...schedule,
    bursts: { messages, cycleUs: messages * schedule.periodUs + offUs },
  }));
const schedules = fc.oneof(steady, inBursts);
const publisher = fc.nat({ max: 499 });

describe('a schedule', () => {
  it('spreads the publishers evenly over one period', () => {
    const schedule = { startUs: 1_000, periodUs: 100, publishers: 4 };
    const due = [0, 1, 2, 3].map((i) => dueUsOf(schedule, i, 0));
    expect(due).toEqual([1_000, 1_025, 1_050, 1_075]);
    expect(dueUsOf(schedule, 1, 3)).toBe(1_325);
  });

  it('counts exactly the messages that are due', () => {
    fc.assert(
      fc.property(
        schedules,
        publisher,
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (schedule, i, periods) => {
          const index = i % schedule.publishers;
          const atUs = schedule.startUs + periods * schedule.periodUs;
          const count = dueCount(schedule, index, atUs);
          if (count > 0) expect(dueUsOf(schedule, index, count - 1)).toBeLessThanOrEqual(atUs);
          expect(dueUsOf(schedule, index, count)).toBeGreaterThan(atUs);
        },
      ),
    );
  });

  it('counts a message at its own due time, and not before it', () => {
    fc.assert(
      fc.property(schedules, publisher, fc.nat({ max: 1e6 }), (schedule, i, k) => {
        const index = i % schedule.publishers;
        const dueUs = dueUsOf(schedule, index, k);
        fc.pre(dueUs > dueUsOf(schedule, index, Math.max(0, k - 1)) || k === 0);
        fc.pre(dueUs < dueUsOf(schedule, index, k + 1));
        expect(dueCount(schedule, index, dueUs)).toBe(k + 1);
        expect(dueCountBefore(schedule, index, dueUs)).toBe(k);
      }),
    );
  });

  it('has no due messages before it begins', () => {
    expect(dueCount({ startUs: 500, periodUs: 10, publishers: 1 }, 0, 499.9)).toBe(0);
    expect(dueCountBefore({ startUs: 500, periodUs: 10, publishers: 1 }, 0, 500)).toBe(0);
  });

  it('waits for a complete batch of readings', () => {
    expect(messagePeriodUs({ readingsPerMessage: 1 }, 1_000)).toBe(1_000);
    expect(messagePeriodUs({ readingsPerMessage: 50 }, 1_000)).toBe(50_000);
  });

  it('sends rate x time messages in any integer number of periods', () => {
    fc.assert(
      fc.property(steady, publisher, fc.integer({ min: 1, max: 10_000 }), (schedule, i, periods) => {
        const round = {
          ...schedule,
          startUs: Math.floor(schedule.startUs),
          periodUs: Math.ceil(schedule.periodUs),
        };
        const endUs = round.startUs + periods * round.periodUs;
        expect(dueCountBefore(round, i % round.publishers, endUs)).toBe(periods);
      }),
    );
  });
});

describe('a schedule of bursts', () => {
  const spec = makeTestSpec({
    workload: 'burst',
    burstOnMs: 10,
    burstOffMs: 90,
    readingsPerSecond: 300,
    publishers: 2,
  });
  const schedule = makeSchedule(spec, 1_000);

  it('keeps the rate while it is on and is silent while it is off', () => {
    const dues = [0, 1, 2, 3, 4].map((k) => Math.round(dueUsOf(schedule!, 0, k)));
    expect(dues).toEqual([1_000, 4_333, 7_667, 101_000, 104_333]);
    expect(dueCount(schedule!, 0, 100_999)).toBe(3);
    expect(dueCount(schedule!, 1, 1_000)).toBe(0);
  });

  it('never exceeds its burst, whatever on-time and rate', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5_000 }),
        fc.double({ min: 0.5, max: 50_000, noNaN: true }),
        fc.nat({ max: 5_000 }),
        (burstOnMs, readingsPerSecond, k) => {
          const made = makeSchedule({ ...spec, burstOnMs, readingsPerSecond, publishers: 3 }, 0)!;
          const intoCycleUs =
            dueUsOf(made, 2, k) - Math.floor(k / made.bursts!.messages) * made.bursts!.cycleUs;
          expect(intoCycleUs).toBeLessThanOrEqual(burstOnMs * 1000 + 0.1);
        },
      ),
    );
  });

  it('interleaves the publishers', () => {
    const joined = joinPublishers(schedule!);
    const dues = Array.from({ length: 8 }, (_, k) => dueUsOf(joined, 0, k));
    expect(dues).toEqual(dues.toSorted((a, b) => a - b));
    expect(dues[7]).toBeCloseTo(dueUsOf(schedule!, 1, 3), 6);
  });

  it('is null if messages are sent as fast as possible', () => {
    expect(makeSchedule({ ...spec, readingsPerSecond: null }, 0)).toBeNull();
    expect(makeSchedule({ ...spec, workload: 'stream' }, 0)?.bursts).toBeUndefined();
  });
});
