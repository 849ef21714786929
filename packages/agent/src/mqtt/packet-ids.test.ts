import { describe, expect, it } from 'vitest';
import { PacketIds } from './packet-ids.ts';

describe('PacketIds', () => {
  it('gives out 1 to 65,535 and never one that is in flight', () => {
    const ids = new PacketIds();
    const first = Array.from({ length: 65_535 }, () => ids.open(true));
    expect(new Set(first).size).toBe(65_535);
    expect(Math.min(...first.slice(0, 10))).toBe(1);
    expect(ids.close(40_000)).toBe(1);
    expect(ids.close(7)).toBe(1);
    expect([ids.open(true), ids.open(true)].sort((a, b) => a - b)).toEqual([7, 40_000]);
    expect(ids.inFlight).toBe(65_535);
  });

  it('remembers through both steps of QoS 2 whether a message was measured', () => {
    const ids = new PacketIds();
    const [measured, warmUp] = [ids.open(true), ids.open(false)];
    expect(ids.release(measured)).toBe(true);
    expect(ids.release(warmUp)).toBe(true);
    expect(ids.close(measured)).toBe(1);
    expect(ids.close(warmUp)).toBe(0);
    expect(ids.inFlight).toBe(0);
  });

  it('takes no acknowledgement twice, and none for what was never sent', () => {
    const ids = new PacketIds();
    const id = ids.open(true);
    expect(ids.close(id)).toBe(1);
    expect(ids.close(id)).toBe(-1);
    expect(ids.release(id)).toBe(false);
    expect(ids.close(99)).toBe(-1);
    expect(ids.inFlight).toBe(0);
  });
});
