import { describe, expect, it } from 'vitest';
import { roles } from '../../domain/devices/device.ts';
import type { PhaseRecord, RunEnergy } from '../../domain/runs/role-result.ts';
import { makeReportInput } from '../../testing/report-input.ts';
import { reportEnergy } from './energy-report.ts';
import { makeContext } from './report-input.ts';

const measured = (measureJ: number): RunEnergy => ({
  source: 'meter',
  quality: 'measured',
  detail: '',
  baselineW: null,
  measureJ,
  voltageV: 5,
  batteryMah: null,
});

const setUp = (phase: 'tcp' | 'tls', energyJ: number | null): PhaseRecord => ({
  phase,
  startUs: 0,
  durationUs: 500_000,
  cpuUs: null,
  energyJ,
  bytesSent: null,
  bytesReceived: null,
  connections: 1,
});

/** 60 s at `watts(block)`, sampled each second, and a set-up of 1 s that took 6 J. */
function energyOf(
  watts: (block: number) => number,
  {
    machines = ['a', 'a'],
    setUpJ = 3 as number | null,
  }: { machines?: string[]; setUpJ?: number | null } = {},
) {
  const input = makeReportInput(
    (_, block) => ({
      metrics: { 'latency.p50': 1 },
      series: [
        {
          role: 'broker',
          series: {
            metric: 'energy.power',
            unit: 'W',
            timesMs: Array.from({ length: 60 }, (_, i) => i * 1000),
            values: Array.from({ length: 60 }, () => watts(block)),
          },
        },
      ],
      data: {
        energy: ['broker', 'publisher'].map((role, index) => ({
          role,
          energy: measured(60 * watts(block)),
          machine: machines[index] ?? '',
        })),
        rolePhases: [{ role: 'publisher', phases: [setUp('tcp', setUpJ), setUp('tls', setUpJ)] }],
      },
    }),
    { repetitions: 3, sampleHz: 1, factors: { security: ['plain'], qos: [0] } },
  );
  return reportEnergy(makeContext(input)).energy;
}

describe('reportEnergy', () => {
  it.each(roles)('tells the energy of the %s, with its curve', (role) => {
    const input = makeReportInput(
      () => ({
        metrics: { 'latency.p50': 1 },
        data: { energy: [{ role, energy: measured(120), machine: role }] },
        series: [
          {
            role,
            series: { metric: 'energy.power', unit: 'W', timesMs: [0, 1000, 2000], values: [2, 2, 2] },
          },
        ],
      }),
      { repetitions: 2, sampleHz: 1, factors: { security: ['plain'], qos: [0] } },
    );
    const { energy } = reportEnergy(makeContext(input));
    expect(energy.map((entry) => entry.role)).toEqual([role]);
    expect(energy[0]?.cumulative).toHaveLength(1);
  });

  it('cumulates from nothing to the energy that the metric gives', () => {
    const [energy] = energyOf(() => 2);
    const [curve] = energy?.cumulative ?? [];
    expect(curve?.timesMs[0]).toBe(0);
    expect(curve?.joules[0]).toBe(0);
    expect(curve?.timesMs.at(-1)).toBe(60_000);
    expect(curve?.joules.at(-1)).toBeCloseTo(120, 6);
  });

  it('gives mean power with its interval over runs, none where all agree', () => {
    const [spread] = energyOf((block) => 1 + block);
    const logs = [2, 3, 4].map(Math.log);
    const centre = logs.reduce((sum, log) => sum + log, 0) / 3;
    const sd = Math.sqrt(logs.reduce((sum, log) => sum + (log - centre) ** 2, 0) / 2);
    expect(spread?.power[0]?.runs).toBe(3);
    expect(spread?.power[0]?.watts).toBeCloseTo(Math.exp(centre), 9);
    expect(spread?.power[0]?.lo).toBeCloseTo(Math.exp(centre - (4.302652729911275 * sd) / Math.sqrt(3)), 9);
    expect(energyOf(() => 2)[0]?.power[0]).toMatchObject({ watts: 2, lo: null, hi: null });
  });

  it('tells the energy of one machine once, of two machines twice', () => {
    expect(energyOf(() => 2).map(({ role, sharedBy }) => [role, ...sharedBy])).toEqual([
      ['broker', 'publisher'],
    ]);
    expect(energyOf(() => 2, { machines: ['a', 'b'] }).map(({ role }) => role)).toEqual([
      'broker',
      'publisher',
    ]);
  });

  it('takes the set-up of the sensitivity from the phases that set the connection up', () => {
    const [energy] = energyOf(() => 2);
    const at = (f: number, l: number) =>
      energy?.sensitivity?.cells.find((cell) => cell.handshakeFactor === f && cell.loadFactor === l)
        ?.relChange;
    expect(energy?.sensitivity).toMatchObject({ handshakeS: 1, runs: 3 });
    expect(energy?.sensitivity?.handshakeShare).toBeCloseTo(6 / 126, 9);
    expect(at(1, 1)).toBeCloseTo(0, 12);
    // One second more of 6 W and one less of 2 W.
    expect(at(2, 1)).toBeCloseTo(4 / 126, 9);
    expect(at(1, 2)).toBeCloseTo(120 / 126, 9);
    expect(energyOf(() => 2, { setUpJ: null })[0]?.sensitivity).toBeNull();
  });
});
