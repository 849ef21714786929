import { workloadKinds } from '@mqttlab/shared/domain/plans/workload';
import { makeWorkload } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import {
  burstPictureOf,
  kindLooks,
  lookOf,
  responseFor,
  stripPartsOf,
  summariseWorkload,
} from './workload-kinds.ts';

describe('kindLooks', () => {
  it('has one description per kind, in the order of the contract', () => {
    expect(kindLooks.map(({ kind }) => kind)).toEqual([...workloadKinds]);
    for (const kind of workloadKinds) {
      expect(lookOf(kind).sentence).toMatch(/^[A-Z].*\.$/);
      expect(stripPartsOf(makeWorkload({ kind })).some(({ tone }) => tone === 'measure')).toBe(true);
    }
  });
});

describe('stripPartsOf', () => {
  it('is as long as the phases, and omits phases without duration', () => {
    const parts = stripPartsOf(makeWorkload({ kind: 'stream', warmUpMs: 0, measureMs: 5000 }));
    expect(parts.map(({ name, weight }) => [name, weight])[0]).toEqual(['measure', 5000]);
  });

  it('shows how often a handshake is repeated', () => {
    const parts = stripPartsOf(makeWorkload({ kind: 'handshake', connections: 2500 }));
    expect(parts.at(-1)?.words).toBe('2,500 in total');
  });
});

describe('responseFor', () => {
  it('selects a metric that the kind measures, and restores latency', () => {
    expect(responseFor('handshake', 'latency.p50')).toBe('setUp.total');
    expect(responseFor('states', 'rate.goodput')).toBe('setUp.bytes');
    expect(responseFor('stream', 'setUp.total')).toBe('latency.p50');
  });

  it('does not change a valid choice', () => {
    expect(responseFor('handshake', 'cpu.broker')).toBe('cpu.broker');
    expect(responseFor('burst', 'latency.p95')).toBe('latency.p95');
  });
});

describe('burstPictureOf', () => {
  it('cuts the last burst at the end of the measure phase', () => {
    const picture = burstPictureOf(makeWorkload({ burstOnMs: 2000, burstOffMs: 1000, measureMs: 10_000 }));
    expect(picture?.blocks).toHaveLength(4);
    expect(picture?.blocks.at(-1)).toEqual({ from: 0.9, to: 1 });
    expect(picture?.words).toContain('4 bursts');
    expect(picture?.words).toContain('67 %');
  });

  it('shows the first of many bursts, and nothing for invalid numbers', () => {
    const many = burstPictureOf(makeWorkload({ burstOnMs: 1, burstOffMs: 1, measureMs: 60_000 }));
    expect(many).toMatchObject({ isCut: true });
    expect(many?.blocks).toHaveLength(40);
    expect(burstPictureOf(makeWorkload({ burstOnMs: 0, burstOffMs: 10 }))).toBeNull();
  });
});

describe('summariseWorkload', () => {
  it('counts connections if nothing is timed', () => {
    const workload = makeWorkload({ kind: 'handshake', connections: 200 });
    expect(summariseWorkload({ workload })).toBe('Handshake: 200 connections');
  });
});
