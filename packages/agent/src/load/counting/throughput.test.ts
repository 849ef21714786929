import { describe, expect, it } from 'vitest';
import { ArrivalWindow, SentWindow } from './throughput.ts';

const instants = { measureAtUs: 1000, stopAtUs: 2000 };
const testbed = 5_000_000;

/** Arrivals at these local times, all of the measure phase unless stated otherwise. */
function arrivedAt(times: readonly number[], measured = (_us: number) => true, closeUs?: number) {
  const window = new ArrivalWindow();
  window.open(instants);
  for (const us of times) {
    if (closeUs !== undefined && us >= closeUs) window.close(closeUs);
    window.add(us, 10, measured(us));
  }
  return window.figures(testbed);
}

describe('ArrivalWindow', () => {
  it('counts arrivals between the two instants, whenever they were sent', () => {
    const figures = arrivedAt([990, 1000, 1400, 1500, 1999, 2000, 2100], (us) => us > 1400);
    expect(figures).toMatchObject({ startUs: testbed + 1000, endUs: testbed + 2000, sent: null });
    expect(figures?.arrived).toEqual({
      firstHalf: 2,
      secondHalf: 2,
      payloadBytes: 40,
      longestSilenceUs: 499,
      firstUs: testbed + 1500,
      lastUs: testbed + 2100,
      atFirst: 1,
    });
  });

  it('finds the longest silence: before the first, between two, after the last', () => {
    expect(arrivedAt([1600, 1700, 1900])?.arrived?.longestSilenceUs).toBe(600);
    expect(arrivedAt([1100, 1800, 1900])?.arrived?.longestSilenceUs).toBe(700);
    expect(arrivedAt([1100, 1200])?.arrived?.longestSilenceUs).toBe(800);
    expect(arrivedAt([500, 2500])?.arrived).toMatchObject({ longestSilenceUs: 1000, firstHalf: 0 });
    expect(arrivedAt([])?.arrived).toMatchObject({ longestSilenceUs: 1000, firstUs: null, lastUs: null });
  });

  it('counts up to the last message if the load ends early', () => {
    const figures = arrivedAt([1010, 1010, 1100, 1200, 1450], undefined, 1150);
    expect(figures?.endUs).toBe(testbed + 1150);
    expect(figures?.arrived).toMatchObject({ firstHalf: 3, longestSilenceUs: 250, atFirst: 2 });
    expect(figures?.arrived?.lastUs).toBe(testbed + 1450);
  });

  it('is null before the start is known', () => {
    expect(new ArrivalWindow().figures(0)).toBeNull();
    expect(new SentWindow().figures(0)).toBeNull();
  });
});

describe('SentWindow', () => {
  it('counts from phase to phase, and the halves by the clock', () => {
    const window = new SentWindow();
    window.open(instants);
    window.add(7, 900);
    window.enter('measure', 1003);
    window.add(3, 999);
    window.add(2, 1500);
    window.enter('drain', 2001);
    window.add(1, 1990);
    expect(window.figures(testbed)).toMatchObject({
      startUs: testbed + 1000,
      endUs: testbed + 2000,
      arrived: null,
      sent: { firstHalf: 3, secondHalf: 2, afterwards: 1 },
    });
  });

  it('begins as agreed if the phase is entered late', () => {
    const window = new SentWindow();
    window.open(instants);
    window.enter('warm-up', 0);
    window.add(7, 999);
    window.add(2, 1000);
    window.enter('measure', 1400);
    window.add(1, 1401);
    expect(window.figures(0)?.sent).toEqual({ firstHalf: 3, secondHalf: 0, afterwards: 0 });
  });

  it('ends early if the load does', () => {
    const window = new SentWindow();
    window.open(instants);
    window.enter('measure', 1000);
    window.enter('drain', 1200);
    expect(window.figures(0)?.endUs).toBe(1200);
  });
});
