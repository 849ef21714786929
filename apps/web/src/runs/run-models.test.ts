import type { Negotiated, RoleResult } from '@mqttlab/shared/domain/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/run';
import type { TrialSpec } from '@mqttlab/shared/domain/trial-spec';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram';
import { describe, expect, it } from 'vitest';
import { countEqual, makeAskedRows } from './asked-rows.ts';
import { makeEnvironment } from './environment-rows.ts';
import { makeLatencyView } from './latency-view.ts';
import { makePhaseCosts, sumSetUp } from './phase-costs.ts';
import { makeRunFigures } from './run-figures.ts';
import { describeVerdicts } from './verdicts-panel.tsx';

const spec = {
  security: 'TLS 1.3',
  cipherSuite: 'TLS_AES_256_GCM_SHA384',
  group: 'X25519',
  certificate: 'ECDSA P-256',
  mqttVersion: '5.0',
  qos: 1,
  window: 1000,
  link: 'lo',
  readingBytes: 100,
  readingsPerMessage: 1,
  readingsPerSecond: 100,
  publishers: 1,
} as TrialSpec;

const negotiated: Negotiated = {
  protocol: 'TLSv1.3',
  cipherSuite: 'TLS_AES_256_GCM_SHA384',
  group: 'X25519',
  certificate: 'ECDSA P-256',
  certificateSubject: 'CN=broker\nO=mqttlab',
  certificateChainLength: 1,
  signature: 'ecdsa_secp256r1_sha256',
  resumed: false,
  mqttVersion: '5.0',
  grantedQos: 1,
  receiveMaximum: 20,
  maximumPacketBytes: null,
  localAddress: '127.0.0.1',
  localPort: 4000,
  remoteAddress: '127.0.0.1',
  remotePort: 8883,
};

function makeResult(part: Partial<RoleResult>): RoleResult {
  return {
    ...{ role: 'subscriber', phases: [], negotiated: null, localPorts: [], counters: null, latency: null },
    ...{ lateness: null, series: [], environment: {}, log: [], degraded: [], failure: null },
    ...part,
  };
}

describe('asked and negotiated', () => {
  const rowOf = (rows: ReturnType<typeof makeAskedRows>, name: string) =>
    rows.find((row) => row.parameter === name);

  it('shows a window that the broker cut as its limit, not as a fault', () => {
    const rows = makeAskedRows(spec, negotiated);
    expect(rowOf(rows, 'Messages in flight')).toMatchObject({
      asked: '1,000',
      negotiated: '20, the broker’s limit',
      equal: false,
      isLimit: true,
    });
    expect(countEqual(rows)).toBe('7 of 8 equal');
  });

  it('has no window at QoS 0 and does not compare it before MQTT 5', () => {
    expect(rowOf(makeAskedRows({ ...spec, qos: 0 }, negotiated), 'Messages in flight')).toBeUndefined();
    const old = makeAskedRows(spec, { ...negotiated, receiveMaximum: null });
    expect(rowOf(old, 'Messages in flight')).toMatchObject({ negotiated: '1,000', equal: null });
  });

  it('writes addresses and the certificate on one line', () => {
    const rows = makeAskedRows(spec, negotiated);
    expect(rowOf(rows, 'Link')?.negotiated).toBe('127.0.0.1:4000 to 127.0.0.1:8883');
    expect(rowOf(rows, 'Certificate subject')?.negotiated).toBe('CN=broker, O=mqttlab, chain of 1');
  });
});

describe('latency of a run', () => {
  const viewOf = (values: readonly number[]) => {
    const histogram = new LatencyHistogram();
    for (const value of values) histogram.record(value);
    return makeLatencyView({
      results: [makeResult({ latency: histogram.toJson() as RoleResult['latency'] })],
    });
  };
  const ramp = Array.from({ length: 1500 }, (_, i) => 1000 + i);

  it('leaves out quantiles without messages enough, and says why', () => {
    expect(viewOf(ramp)?.quantiles.map(({ name }) => name)).toEqual(['P50', 'P95', 'P99']);
    expect(viewOf(ramp)?.leftOut).toMatch(/^P99\.9 is left out: it needs 10,00\d messages\.$/);
    const few = viewOf(ramp.slice(0, 100));
    expect(few?.quantiles.map(({ name }) => name)).toEqual(['P50']);
    expect(few?.leftOut).toMatch(/^P95 and P99 and P99\.9 are left out: they need 200 and 1,000 and/);
    expect(few?.curve.every((point) => point.percentile <= 50)).toBe(true);
  });

  it('keeps every message and the largest in ms', () => {
    const view = viewOf(ramp);
    expect(view?.bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(1500);
    expect(view?.maximumMs).toBeCloseTo(2.499, 6);
  });

  it('takes a logarithm only for a long tail', () => {
    expect(viewOf(ramp)?.isLongTailed).toBe(false);
    expect(viewOf([...ramp, ...ramp.slice(0, 40).map(() => 60_000)])?.isLongTailed).toBe(true);
  });

  it('is null without a stamped message', () => {
    expect(viewOf([])).toBeNull();
    expect(makeLatencyView({ results: [makeResult({})] })).toBeNull();
  });
});

describe('phases of a device', () => {
  const record = {
    startUs: 0,
    durationUs: 2000,
    cpuUs: 500,
    bytesSent: 30,
    bytesReceived: 12,
    connections: 1,
  };
  const phases: RoleResult['phases'] = [
    { ...record, phase: 'tls' },
    { ...record, phase: 'tcp' },
    { ...record, phase: 'measure', cpuUs: null },
  ];

  it('come in order, with bytes where a socket counted them', () => {
    expect(makePhaseCosts(makeResult({ phases }))).toEqual([
      { name: 'tcp', part: 'set-up', timeMs: 2, cpuMs: 0.5, bytes: null, energyJ: null },
      { name: 'tls', part: 'set-up', timeMs: 2, cpuMs: 0.5, bytes: 42, energyJ: null },
      { name: 'measure', part: 'load', timeMs: 2, cpuMs: null, bytes: 42, energyJ: null },
    ]);
    expect(makePhaseCosts(makeResult({ role: 'broker', phases })).map(({ bytes }) => bytes)).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('sum up to what connecting cost', () => {
    expect(sumSetUp(makePhaseCosts(makeResult({ phases })))).toEqual({ timeMs: 4, cpuMs: 1, bytes: 42 });
    expect(sumSetUp([])).toBeNull();
  });
});

describe('key figures of a run', () => {
  const figuresOf = (part: Partial<RunDetail>) => {
    const run = { metrics: {}, siblings: {}, treatment: { spec }, ...part } as RunDetail;
    return Object.fromEntries(makeRunFigures(run).map(({ id, value, note }) => [id, [value, note]]));
  };

  it('stand beside the mean of their siblings, in one unit', () => {
    const siblings = { 'latency.p50': { mean: 0.29, runs: 6 } };
    expect(figuresOf({ metrics: { 'latency.p50': 0.276 }, siblings })['latency.p50']).toEqual([
      '276\u00a0µs',
      '6 runs 290',
    ]);
  });

  it('say how many messages a missing quantile needs', () => {
    const metrics = { 'latency.p99': null, 'count.received': 400 };
    expect(figuresOf({ metrics })['latency.p99']).toEqual(['–', 'needs 1,000 messages']);
  });

  it('compare goodput with what was asked', () => {
    expect(figuresOf({ metrics: { 'rate.goodput': 80_010 } })['rate.goodput']?.[1]).toBe('as asked');
    expect(figuresOf({ metrics: { 'rate.goodput': 60_000 } })['rate.goodput']?.[1]).toBe(
      '75.0\u00a0% of asked',
    );
  });
});

describe('environment of a run', () => {
  it('joins what all devices share and keeps configurations as blocks', () => {
    const { rows, blocks } = makeEnvironment([
      makeResult({
        role: 'subscriber',
        environment: { 'device.kernel': '6.1', 'zz.own': true, 'cpu.cores': 4 },
      }),
      makeResult({
        role: 'broker',
        environment: { 'device.kernel': '6.1', 'cpu.cores': 2, 'broker.configuration': 'a\nb' },
      }),
    ]);
    expect(rows.map((row) => [row.label, row.isShared, row.values.map(({ text }) => text)])).toEqual([
      ['Kernel', true, ['6.1', '6.1']],
      ['CPU cores', false, ['2', '4']],
      ['zz.own', false, ['–', 'yes']],
    ]);
    expect(blocks).toEqual([
      { key: 'broker.configuration broker', label: 'Broker configuration', text: 'a\nb' },
    ]);
  });
});

describe('verdicts in words', () => {
  it('count failed ones first', () => {
    const verdict = (status: 'passed' | 'failed' | 'not applicable') => ({
      id: status,
      label: '',
      evidence: '',
      status,
    });
    expect(describeVerdicts([verdict('passed'), verdict('failed'), verdict('not applicable')])).toBe(
      '1 failed, 1 passed, 1 does not apply',
    );
    expect(describeVerdicts([])).toBe('');
  });
});
