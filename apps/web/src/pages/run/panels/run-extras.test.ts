import { aboveIdleJ, chargeMah, energySinceStart } from '@mqttlab/shared/analysis/run-energy';
import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import type { PhaseRecord, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { makeHistogram, makeRoleResult, makeTrialSpec } from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { connectionsOf } from './connections-panel.tsx';
import { coresOf } from './cores-panel.tsx';
import { energyOf } from './energy-panel.tsx';
import { payloadOf } from './payload-panel.tsx';
import { measuredEndS } from './run-devices.tsx';
import { headerBytes, stateBars, statesOf } from './states-panel.tsx';
import { clockRows, perfRows } from './table-panels.tsx';

function runOf(results: Partial<RoleResult>[], spec: Partial<TrialSpec> = {}) {
  return {
    results: results.map((part) => makeRoleResult(part)),
    treatment: { spec: makeTrialSpec(spec) } as Treatment,
  };
}

const measure: PhaseRecord = {
  phase: 'measure',
  startUs: 0,
  durationUs: 4e6,
  cpuUs: null,
  energyJ: null,
  bytesSent: 0,
  bytesReceived: 0,
  connections: 200,
};

describe('connections', () => {
  const times = makeHistogram(Array.from({ length: 200 }, (_, i) => 1000 + i));

  it('spread over phases, counted per second', () => {
    const [publisher] = connectionsOf(
      runOf([
        {
          role: 'publisher',
          phases: [measure],
          counters: makeCounters({ connectionsOpened: 200, connectionsFailed: 3 }),
          histograms: { 'phase.tls': times, 'phase.tcp': times },
        },
        { role: 'subscriber' },
      ]),
    );
    expect(publisher).toMatchObject({ role: 'publisher', opened: 200, failed: 3, perSecond: 50 });
    expect(publisher?.phases.map(({ label }) => label)).toEqual(['tcp', 'tls']);
    expect(publisher?.phases[0]?.p50).toBeCloseTo(1.1, 2);
  });

  it('have no P99 if there are too few', () => {
    const [one] = connectionsOf(runOf([{ role: 'publisher', histograms: { 'phase.tls': times } }]));
    expect(one?.phases[0]?.p99).toBeNull();
    expect(one).toMatchObject({ opened: 200, perSecond: null });
  });

  it('are empty for a run with one connection', () => {
    expect(connectionsOf(runOf([{ role: 'publisher', phases: [measure] }]))).toEqual([]);
  });
});

describe('states', () => {
  const con = { state: 'CON', bytesSent: 700, bytesReceived: 1800, frameBytes: 3200, frames: 10 } as const;
  const sub = { state: 'SUB', bytesSent: 40, bytesReceived: 30, frameBytes: null, frames: null } as const;

  it('split a bar into sent bytes, received bytes and headers', () => {
    const [states] = statesOf(runOf([{ role: 'subscriber', states: [con] }]));
    expect(states && stateBars(states)).toEqual({
      parts: ['sent', 'received', 'Ethernet, IP and TCP headers'],
      bars: [{ name: 'CON', parts: [700, 1800, 700] }],
    });
  });

  it('omit headers if one state was not counted in frames', () => {
    expect(headerBytes(sub)).toBeNull();
    expect(stateBars({ states: [con, sub] }).parts).toEqual(['sent', 'received']);
  });
});

describe('payload', () => {
  it('is null for payloads without a cipher', () => expect(payloadOf(runOf([]))).toBeNull());

  it('contains times, expansion and refused messages', () => {
    const payload = payloadOf(
      runOf(
        [
          {
            role: 'publisher',
            counters: makeCounters({ sent: 10, carriedBytesSent: 1280 }),
            histograms: { encryption: makeHistogram([4, 5, 6]) },
          },
          { role: 'subscriber', counters: makeCounters({ replayed: 2 }) },
        ],
        { payloadCipher: 'aes-256-gcm', readingBytes: 100 },
      ),
    );
    expect(payload).toMatchObject({
      cipher: 'AES-256-GCM',
      encoding: 'binary',
      plainBytes: 100,
      sentBytes: 128,
    });
    expect(payload?.times).toEqual([
      { label: 'Encryption', messages: 3, mean: 5, p50: 5, p95: null, p99: null },
    ]);
    expect(payload?.refused).toContainEqual({ label: 'replayed', count: 2 });
  });
});

describe('cores', () => {
  const series = (metric: string, values: (number | null)[], unit = '%') => ({
    metric,
    unit,
    timesMs: values.map((_, i) => i * 1000),
    values,
  });

  it('are in order, with device and process in cores', () => {
    const [device] = coresOf(
      runOf([
        {
          role: 'broker',
          series: [
            series('cpu.core10', [1]),
            series('cpu.core2', [90, null]),
            series('cpu.device', [50]),
            series('cpu.process', [75]),
          ],
        },
      ]),
    );
    expect(device?.cores.map(({ name, points }) => [name, points.length])).toEqual([
      ['core 2', 1],
      ['core 10', 1],
    ]);
    expect(device?.device).toEqual([{ t: 0, v: 1 }]);
    expect(device?.process).toEqual([{ t: 0, v: 0.75 }]);
  });

  it('are empty if only the whole device was sampled', () => {
    expect(coresOf(runOf([{ role: 'broker', series: [series('cpu.device', [50])] }]))).toEqual([]);
  });
});

describe('energy', () => {
  const energy = {
    source: 'INA219',
    quality: 'measured' as const,
    detail: 'hwmon3',
    baselineW: 2,
    measureJ: 36,
    voltageV: 5,
    batteryMah: null,
  };

  it('adds up from the start of the measure phase', () => {
    expect(
      energySinceStart([
        { t: -1, v: 100 },
        { t: 0, v: 2 },
        { t: 1, v: 4 },
        { t: 3, v: 4 },
      ]),
    ).toEqual([
      { t: 0, v: 0 },
      { t: 1, v: 3 },
      { t: 3, v: 11 },
    ]);
  });

  it('is reported above idle and as charge, if possible', () => {
    expect(aboveIdleJ(energy, 1e7)).toBe(16);
    expect(aboveIdleJ({ ...energy, baselineW: null }, 1e7)).toBeNull();
    expect(aboveIdleJ(energy, null)).toBeNull();
    expect(chargeMah(energy)).toBe(2);
    expect(chargeMah({ ...energy, voltageV: null })).toBeNull();
  });

  it('uses the series in W of each device with a source', () => {
    const power = { metric: 'power', unit: 'W', timesMs: [0, 1000], values: [3, 3] };
    const devices = energyOf(runOf([{ role: 'publisher', energy, series: [power] }, { role: 'broker' }]));
    expect(devices).toHaveLength(1);
    expect(devices[0]?.cumulative.at(-1)).toEqual({ t: 1, v: 3 });
  });
});

describe('the end of measuring', () => {
  it('is as planned, or earlier if the connections were completed earlier', () => {
    const publisher = { role: 'publisher', phases: [measure] } as const;
    expect(measuredEndS(runOf([{ ...publisher, phases: [measure] }], { measureMs: 10_000 }))).toBe(10);
    const handshake = { workload: 'handshake', measureMs: 10_000 } as const;
    expect(measuredEndS(runOf([{ ...publisher, phases: [measure] }], handshake))).toBe(4);
    expect(measuredEndS(runOf([], handshake))).toBe(10);
  });
});

describe('clocks and counters', () => {
  it('show offsets with their maximum error', () => {
    const clock = {
      before: { offsetUs: 1240, uncertaintyUs: 20 },
      after: { offsetUs: 1250, uncertaintyUs: 25 },
    };
    expect(clockRows(runOf([{ role: 'publisher', clock }]))).toMatchObject([
      {
        role: 'publisher',
        isShared: false,
        before: '+1.24\u00a0ms ± 20.0\u00a0µs',
        after: '+1.25\u00a0ms ± 25.0\u00a0µs',
        bound: '±35.0\u00a0µs',
        service: '',
      },
    ]);
    const same = { before: { offsetUs: 0, uncertaintyUs: 0 }, after: null };
    expect(clockRows(runOf([{ role: 'broker', clock: same }]))[0]?.before).toBe('shares the server’s clock');
    expect(clockRows(runOf([{ role: 'broker', clock: same }]))[0]?.isShared).toBe(true);
  });

  it('divide counters if both exist', () => {
    const perf = { cycles: 2e9, instructions: 3e9, cacheReferences: null, cacheMisses: 4e6 };
    expect(perfRows(runOf([{ role: 'broker', perf }]))[0]).toMatchObject({ perCycle: 1.5, missRatio: null });
    const none = { cycles: null, instructions: null, cacheReferences: null, cacheMisses: null };
    expect(perfRows(runOf([{ role: 'broker', perf: none }]))).toEqual([]);
  });
});
