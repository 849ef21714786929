import { makeRunFigures } from '@mqttlab/shared/analysis/run-figures';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import {
  makeNegotiated,
  makeRoleResult as makeResult,
  makeTrialSpec,
} from '@mqttlab/shared/testing/factories';
import { describe, expect, it } from 'vitest';
import { countEqual, makeAskedRows } from './asked-panel.tsx';
import { makeEnvironment } from './environment-panel.tsx';
import { makePhaseCosts, setUpSpanMs, sumSetUp } from './phases-panel.tsx';
import { describeVerdicts } from './verdicts-panel.tsx';

const spec = makeTrialSpec();

const negotiated = makeNegotiated({
  certificateSubject: 'CN=broker\nO=mqttlab',
  certificateChainLength: 1,
  grantedQos: 1,
  receiveMaximum: 20,
  localAddress: '127.0.0.1',
  localPort: 4000,
});

describe('requested and negotiated', () => {
  const rowOf = (rows: ReturnType<typeof makeAskedRows>, name: string) =>
    rows.find((row) => row.parameter === name);

  it('shows a window reduced by the broker as a limit, not as a fault', () => {
    const rows = makeAskedRows(spec, negotiated);
    expect(rowOf(rows, 'Messages in flight')).toMatchObject({
      asked: '1,000',
      negotiated: '20, the broker’s limit',
      equal: false,
      isLimit: true,
    });
    const compared = rows.filter((row) => row.equal !== null).length;
    expect(countEqual(rows)).toBe(`${compared - 1} of ${compared} equal`);
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

describe('phases of a device', () => {
  const record = {
    startUs: 0,
    durationUs: 2000,
    cpuUs: 500,
    energyJ: null,
    bytesSent: 30,
    bytesReceived: 12,
    connections: 1,
  };
  const phases: RoleResult['phases'] = [
    { ...record, phase: 'tls' },
    { ...record, phase: 'tcp' },
    { ...record, phase: 'measure', cpuUs: null },
  ];

  it('are in order, with bytes if a socket counted them', () => {
    expect(makePhaseCosts(makeResult({ phases }))).toEqual([
      { name: 'tcp', part: 'set-up', timeMs: 2, cpuMs: 0.5, bytes: null, energyJ: null },
      { name: 'tls', part: 'set-up', timeMs: 2, cpuMs: 0.5, bytes: 42, energyJ: null },
      { name: 'measure', part: 'load', timeMs: 2, cpuMs: null, bytes: 42, energyJ: null },
    ]);
    const uncounted = phases.map((phase) => ({ ...phase, bytesSent: null, bytesReceived: null }));
    const broker = makePhaseCosts(makeResult({ role: 'broker', phases: uncounted }));
    expect(broker.map(({ bytes }) => bytes)).toEqual([null, null, null]);
  });

  it('add up to the cost of connecting', () => {
    expect(sumSetUp(makePhaseCosts(makeResult({ phases })))).toEqual({
      timeMs: 4,
      cpuMs: 1,
      bytes: 42,
      energyJ: null,
    });
    const subscribed = [...phases, { ...record, phase: 'subscribe' as const }];
    const kept = {
      lowest: 1,
      highest: 6e7,
      digits: 3,
      count: 2,
      min: 5000,
      max: 6000,
      sum: 11_000,
      sumSquares: 0,
      overflow: 0,
      underflow: 0,
      buckets: [],
    };
    const told = makeResult({ phases: subscribed, histograms: { 'kept.set-up': kept } });
    // Gaps between the phases are reported too.
    expect(sumSetUp(makePhaseCosts(told), setUpSpanMs(told))?.timeMs).toBe(5.5 + 2);
    expect(setUpSpanMs(makeResult({ phases }))).toBeNull();
    const charged = phases.map((phase) => ({ ...phase, energyJ: 0.25 }));
    expect(sumSetUp(makePhaseCosts(makeResult({ phases: charged })))?.energyJ).toBe(0.5);
    expect(sumSetUp([])).toBeNull();
    const uncounted = phases.map((phase) => ({ ...phase, bytesSent: null, bytesReceived: null }));
    expect(sumSetUp(makePhaseCosts(makeResult({ phases: uncounted })))?.bytes).toBeNull();
  });
});

describe('key figures of a run', () => {
  const figuresOf = (part: Partial<RunDetail>) => {
    const run = {
      metrics: {},
      siblings: {},
      flagged: false,
      verdicts: [],
      results: [],
      treatment: { spec },
      ...part,
    } as unknown as RunDetail;
    return Object.fromEntries(makeRunFigures(run).map(({ id, value, note }) => [id, [value, note]]));
  };

  it('are shown next to the mean of their siblings, in one unit', () => {
    const siblings = { 'latency.p50': { mean: 0.29, runs: 6 } };
    expect(figuresOf({ metrics: { 'latency.p50': 0.276 }, siblings })['latency.p50']).toEqual([
      '276\u00a0µs',
      '6 runs 290',
    ]);
  });

  it('state how many messages a missing quantile needs', () => {
    const metrics = { 'latency.p99': null, 'count.received': 400 };
    expect(figuresOf({ metrics })['latency.p99']).toEqual(['–', 'needs 1,000 messages']);
  });

  it('start with bytes for the states workload, and use means for many connections', () => {
    const labelsOf = (workload: string, metrics: RunDetail['metrics']) => {
      const run = {
        metrics,
        siblings: {},
        flagged: false,
        verdicts: [],
        results: [],
        treatment: { spec: { ...spec, workload } },
      };
      return makeRunFigures(run as unknown as RunDetail).map(({ label }) => label);
    };
    const common = { 'setUp.total': 4.2, 'count.connectionsOpened': 9 };
    expect(labelsOf('states', { ...common, 'state.CON.frameBytes': 2672 })).toEqual([
      'Wire bytes to CON',
      'Connection set-up',
    ]);
    expect(labelsOf('handshake', common)).toEqual(['Connection set-up, mean']);
  });

  it('are marked if a failed verdict of the run affects them', () => {
    const failed = { id: 'clock-good-enough', label: 'Clock', status: 'failed', evidence: '' };
    const metrics = { 'latency.p50': 0.276, 'latency.p95': null, 'setUp.total': 4.2 };
    const run = { metrics, siblings: {}, results: [], treatment: { spec } };
    const markedIn = (part: object) =>
      makeRunFigures({ ...run, ...part } as unknown as RunDetail).flatMap(({ id, isFlagged }) =>
        isFlagged ? [id] : [],
      );
    expect(markedIn({ flagged: false, verdicts: [] })).toEqual([]);
    expect(markedIn({ flagged: true, verdicts: [failed] })).toEqual(['latency.p50']);
  });

  it('name the energy model if all devices use one', () => {
    const energyNote = (...details: string[]) =>
      figuresOf({
        metrics: { 'energyPerMessageNet.total': 0.001 },
        bases: { energy: 'modelled' },
        results: details.map((detail) => ({ energy: { quality: 'modelled', detail } })),
      } as unknown as Partial<RunDetail>)['energyPerMessageNet.total']?.[1];
    expect(energyNote('Raspberry Pi 4B', 'Raspberry Pi 4B')).toBe('modelled, Raspberry Pi 4B');
    expect(energyNote('Raspberry Pi 4B', 'Raspberry Pi 5')).toBe('modelled');
  });

  it('compare goodput with the planned rate', () => {
    expect(figuresOf({ metrics: { 'rate.goodput': 80_010 } })['rate.goodput']?.[1]).toBe('as planned');
    // One of a hundred messages arrived after the end.
    const short = { treatment: { spec: { ...spec, measureMs: 1000 } } } as unknown as RunDetail;
    const noteOf = (goodput: number) =>
      figuresOf({ ...short, metrics: { 'rate.goodput': goodput } })['rate.goodput']?.[1];
    expect(noteOf(79_200)).toBe('as planned');
    expect(noteOf(78_400)).toBe('98.0\u00a0% of planned');
    const burst = { ...spec, workload: 'burst', burstOnMs: 500, burstOffMs: 500 };
    const half = { metrics: { 'rate.goodput': 40_000 }, treatment: { spec: burst } } as unknown as RunDetail;
    expect(figuresOf(half)['rate.goodput']?.[1]).toBe('as planned');
    const three = { ...spec, subscribers: 3 };
    const thrice = {
      metrics: { 'rate.goodput': 240_000 },
      treatment: { spec: three },
    } as unknown as RunDetail;
    expect(figuresOf(thrice)['rate.goodput']?.[1]).toBe('as planned');
    expect(figuresOf({ metrics: { 'rate.goodput': 60_000 } })['rate.goodput']?.[1]).toBe(
      '75.0\u00a0% of planned',
    );
  });
});

describe('environment of a run', () => {
  it('joins what all devices share and keeps configurations as blocks', () => {
    const { rows, blocks } = makeEnvironment({
      results: [
        makeResult({
          role: 'subscriber',
          environment: { 'device.kernel': '6.1', 'zz.own': true, 'cpu.cores': 4 },
        }),
        makeResult({
          role: 'broker',
          environment: { 'device.kernel': '6.1', 'cpu.cores': 2, 'broker.configuration': 'a\nb' },
        }),
      ],
    });
    expect(rows.map((row) => [row.label, row.isShared, row.values.map(({ text }) => text)])).toEqual([
      ['Kernel', true, ['6.1', '6.1']],
      ['CPU cores', false, ['2', '4']],
      ['zz.own', false, ['–', 'yes']],
    ]);
    expect(blocks).toEqual([
      { key: 'broker.configuration broker 0', label: 'Broker configuration', text: 'a\nb' },
    ]);
  });
});

describe('several devices of a role', () => {
  it('are numbered and have separate names', () => {
    const results = ['pi-2', 'pi-3'].map((device) =>
      makeResult({ role: 'publisher', device, environment: { 'device.hostname': device } }),
    );
    const [row] = makeEnvironment({ results: [makeResult({ role: 'broker' }), ...results] }).rows;
    expect(row?.values.map(({ label, host, text }) => [label, host, text])).toEqual([
      ['Broker', '', '–'],
      ['Publisher 1', 'pi-2', 'pi-2'],
      ['Publisher 2', 'pi-3', 'pi-3'],
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
