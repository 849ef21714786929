import { describe, expect, it } from 'vitest';
import { clockOf, layOutQueue } from './plan-times.tsx';

const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime();

describe('clockOf', () => {
  it.each([
    [at(21, 19, 1), 'today 19:01'],
    [at(22, 0, 30), 'tomorrow 00:30'],
    [at(23, 7), '23 Nov 07:00'],
    [new Date(2027, 0, 2, 3).getTime(), '2 Jan 2027 03:00'],
  ])('%d reads %s', (ms, words) => {
    expect(clockOf(ms, at(21, 14))).toBe(words);
  });
});

const input = {
  nowMs: 1000,
  startsAt: 5000,
  durationMs: 4000,
  runningLeftMs: 1000,
  runningLabel: 'E-1 running',
  queued: 2,
};

describe('layOutQueue', () => {
  it('lays running, queued and this plan end to end', () => {
    expect(layOutQueue(input)).toEqual([
      { kind: 'running', label: 'E-1 running', fromShare: 0, toShare: 0.125 },
      { kind: 'queued', label: '2 queued', fromShare: 0.125, toShare: 0.5 },
      { kind: 'plan', label: 'this plan', fromShare: 0.5, toShare: 1 },
    ]);
  });

  it('assigns the whole wait to the running experiment if nothing is queued and its end is unknown', () => {
    const bars = layOutQueue({ ...input, runningLeftMs: null, queued: 0 });
    expect(bars.map(({ kind, toShare }) => [kind, toShare])).toEqual([
      ['running', 0.5],
      ['plan', 1],
    ]);
  });

  it('has only this plan if it starts immediately', () => {
    expect(layOutQueue({ ...input, startsAt: 0 }).map((bar) => bar.kind)).toEqual(['plan']);
  });
});
