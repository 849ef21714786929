import { describe, expect, it } from 'vitest';
import { layOutQueue } from './lay-out-queue.ts';

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

  it('gives the whole wait to what runs where nothing else waits and its end is not known', () => {
    const bars = layOutQueue({ ...input, runningLeftMs: null, queued: 0 });
    expect(bars.map(({ kind, toShare }) => [kind, toShare])).toEqual([
      ['running', 0.5],
      ['plan', 1],
    ]);
  });

  it('is this plan alone where it starts at once', () => {
    expect(layOutQueue({ ...input, startsAt: 0 }).map((bar) => bar.kind)).toEqual(['plan']);
  });
});
