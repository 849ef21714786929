import { describe, expect, it } from 'vitest';
import { PhaseMeter } from './phase-meter.ts';

function makeBench() {
  const now = { us: 1_000 };
  const bytes = { sent: 0, received: 0 };
  const reported: string[] = [];
  const meter = new PhaseMeter({
    nowUs: () => now.us,
    wireBytes: () => ({ ...bytes }),
    onPhase: (phase, durationUs) => reported.push(`${phase} ${durationUs}`),
  });
  return { now, bytes, reported, meter };
}

describe('PhaseMeter', () => {
  it('counts bytes between two phases for the later one, so that none is missing', () => {
    const { now, bytes, meter, reported } = makeBench();
    meter.begin('tls', 1);
    now.us += 500;
    Object.assign(bytes, { sent: 300, received: 1_000 });
    meter.end({ connections: 1 });
    bytes.received += 478;
    now.us += 50;
    meter.begin('connect', 1);
    now.us += 20;
    Object.assign(bytes, { sent: 340, received: 1_500 });
    meter.end({ connections: 1 });
    expect(meter.records).toMatchObject([
      { phase: 'tls', startUs: 1_000, durationUs: 500, bytesSent: 300, bytesReceived: 1_000, connections: 1 },
      { phase: 'connect', startUs: 1_550, durationUs: 20, bytesSent: 40, bytesReceived: 500 },
    ]);
    expect(reported).toEqual(['tls null', 'tls 500', 'connect null', 'connect 20']);
  });

  it('ends one phase where the next begins, and accepts a duration measured elsewhere', () => {
    const { now, meter } = makeBench();
    meter.begin('warm-up', 4);
    now.us += 10;
    meter.begin('measure', 4);
    now.us += 30;
    meter.end({ connections: 4, durationUs: 7 });
    meter.end({ connections: 4 });
    expect(meter.records.map(({ phase, durationUs }) => [phase, durationUs])).toEqual([
      ['warm-up', 10],
      ['measure', 7],
    ]);
  });

  it('leaves no time between consecutive phases, and averages a repeated phase', () => {
    // Reading the clock and reporting takes time, as in reality.
    const now = { us: 0 };
    const spend = (us: number): number => {
      now.us += us;
      return now.us;
    };
    const meter = new PhaseMeter({
      nowUs: () => spend(5),
      wireBytes: () => ({ sent: now.us, received: 0 }),
      cpuUs: () => now.us,
      onPhase: () => void spend(300),
    });
    const spans = [1_000, 3_000].map((tlsUs) => {
      const beganUs = meter.begin('tcp', 1);
      spend(100);
      meter.begin('tls', 1);
      spend(tlsUs);
      return meter.end({ connections: 1 }) - beganUs;
    });
    const [tcp, tls] = meter.records;
    expect(meter.records).toHaveLength(2);
    expect([tcp?.connections, tls?.connections]).toEqual([2, 2]);
    expect((tcp?.durationUs ?? 0) + (tls?.durationUs ?? 0)).toBe(((spans[0] ?? 0) + (spans[1] ?? 0)) / 2);
    expect(tls?.durationUs).toBeGreaterThan(2_000);
    expect(tls?.startUs).toBe((tcp?.startUs ?? 0) + (tcp?.durationUs ?? 0));
    // Only the time between the two connections belongs to no phase.
    expect(tls?.cpuUs).toBeGreaterThanOrEqual(4_000);
  });

  it('counts the CPU time of a phase, and none between phases', () => {
    let cpuUs = 5_000;
    const meter = new PhaseMeter({
      nowUs: () => 0,
      wireBytes: () => ({ sent: 0, received: 0 }),
      cpuUs: () => cpuUs,
      onPhase: () => {},
    });
    meter.begin('connect', 1);
    cpuUs += 30_000;
    meter.end({ connections: 1 });
    cpuUs += 40_000;
    meter.begin('measure', 1);
    cpuUs += 7;
    meter.end({ connections: 1 });
    expect(meter.records.map((record) => record.cpuUs)).toEqual([30_000, 7]);
  });
});
