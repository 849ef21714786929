import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueCount, dueCountBefore, dueUsOf, messagePeriodUs, type Schedule } from './schedule.ts';

const schedules: fc.Arbitrary<Schedule> = fc.record({
  startUs: fc.double({ min: 0, max: 1e13, noNaN: true }),
  periodUs: fc.double({ min: 0.1, max: 1e8, noNaN: true }),
  publishers: fc.integer({ min: 1, max: 500 }),
});
const publisher = fc.nat({ max: 499 });

describe('a schedule', () => {
  it('spreads the publishers evenly over one period', () => {
    const schedule = { startUs: 1_000, periodUs: 100, publishers: 4 };
    const due = [0, 1, 2, 3].map((i) => dueUsOf(schedule, i, 0));
    expect(due).toEqual([1_000, 1_025, 1_050, 1_075]);
    expect(dueUsOf(schedule, 1, 3)).toBe(1_325);
  });

  it('counts exactly the messages whose due time has come', () => {
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

  it('has nothing due before it begins', () => {
    expect(dueCount({ startUs: 500, periodUs: 10, publishers: 1 }, 0, 499.9)).toBe(0);
    expect(dueCountBefore({ startUs: 500, periodUs: 10, publishers: 1 }, 0, 500)).toBe(0);
  });

  it('waits for a whole batch of readings', () => {
    expect(messagePeriodUs({ readingsPerMessage: 1 }, 1_000)).toBe(1_000);
    expect(messagePeriodUs({ readingsPerMessage: 50 }, 1_000)).toBe(50_000);
  });

  it('sends rate x time messages in any whole number of periods', () => {
    fc.assert(
      fc.property(schedules, publisher, fc.integer({ min: 1, max: 10_000 }), (schedule, i, periods) => {
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
