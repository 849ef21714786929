import type { Plan, Treatment } from '@mqttlab/shared/domain/plans/plan';
import { describe, expect, it } from 'vitest';
import { makeRunSummary } from '../../live/testing/live-factories.ts';
import { type CellContext, cellDecimals, groupAttempts, makeTrialCell, makeTrialGrid } from './trial-grid.ts';

const context: CellContext = {
  response: { id: 'latency.p50', label: 'Latency, median', unit: 'ms' },
  decimals: 1,
  nowMs: 30_000,
  usualRunMs: 40_000,
  isOver: false,
};

function makeTreatment(key: string, levels: Treatment['levels'], part: Partial<Treatment> = {}): Treatment {
  const spec = {} as Treatment['spec'];
  return {
    key,
    levels,
    label: key,
    shortLabel: key,
    mark: 1,
    colourLabel: 'Plain',
    rowLabel: '',
    spec,
    ...part,
  };
}

function makePlan(): Plan {
  const suite = 'TLS_AES_256_GCM_SHA384';
  const secure = { security: 'TLS 1.3', cipherSuite: suite };
  return {
    ...({ schemaVersion: 1, response: 'latency.p50', repetitions: 2, excluded: [] } as unknown as Plan),
    varied: ['security', 'cipherSuite', 'qos'],
    treatments: [
      makeTreatment('p0', { security: 'plain', cipherSuite: null, qos: 0 }),
      makeTreatment('a0', { ...secure, qos: 0 }, { mark: 2, colourLabel: 'TLS 1.3 · AES-256-GCM' }),
      makeTreatment('p1', { security: 'plain', cipherSuite: null, qos: 1 }),
    ],
    trials: [
      { number: 1, block: 1, treatmentKey: 'a0' },
      { number: 2, block: 1, treatmentKey: 'p0' },
      { number: 3, block: 1, treatmentKey: 'p1' },
      { number: 4, block: 2, treatmentKey: 'p1' },
      { number: 5, block: 2, treatmentKey: 'a0' },
      { number: 6, block: 2, treatmentKey: 'p0' },
    ],
  };
}

describe('trial grid', () => {
  it('groups treatments by colour and trials by repetition', () => {
    const grid = makeTrialGrid(makePlan(), new Map(), context);
    expect(grid).toMatchObject({ treatmentHead: 'Cipher suite', levelHeads: ['QoS'] });
    expect(grid.rows.map((row) => [row.key, row.levels[0], row.cells.map((cell) => cell.text)])).toEqual([
      ['p0', '0', ['2', '6']],
      ['p1', '1', ['3', '4']],
      ['a0', '0', ['1', '5']],
    ]);
  });

  it('names a colour by its levels', () => {
    const grid = makeTrialGrid(makePlan(), new Map(), context);
    expect(grid.rows[2]?.treatment).toEqual({
      index: 2,
      label: 'TLS 1.3 · AES-256-GCM',
      shortLabel: 'TLS 1.3 · AES-256-GCM',
    });
    expect(grid.rows[0]?.treatment).toEqual({ index: 1, label: 'Plain', shortLabel: 'Plain' });
  });

  it('works without varied factors', () => {
    const plan = { ...makePlan(), varied: [], treatments: [makeTreatment('all', {})] };
    expect(makeTrialGrid(plan, new Map(), context)).toMatchObject({
      treatmentHead: 'Treatment',
      levelHeads: [],
    });
  });
});

describe('trial cell', () => {
  const trial = { number: 2, block: 1, treatmentKey: 'p0' };
  const cellOf = (...parts: Parameters<typeof makeRunSummary>[0][]) => {
    const runs = parts.map((part) => makeRunSummary({ trialNumber: 2, ...part }));
    return makeTrialCell(trial, groupAttempts(runs).get(2) ?? [], context);
  };

  it('shows its turn while it waits', () => {
    expect(makeTrialCell(trial, [], context)).toEqual({ state: 'planned', text: '2', detail: 'turn 2' });
  });

  it('did not run if the experiment ended before it', () => {
    expect(makeTrialCell(trial, [], { ...context, isOver: true })).toMatchObject({
      state: 'cancelled',
      text: '',
    });
  });

  it('shows how long it has been running', () => {
    expect(cellOf({ id: 8, status: 'preparing', startedAt: 10_500 })).toMatchObject({
      state: 'running',
      text: '19 s',
      progress: 0.4875,
      runId: '8',
    });
  });

  it('uses the current attempt, otherwise the one that counts, in any order of runs', () => {
    const metrics = { 'latency.p50': 0.44 };
    expect(
      cellOf({ id: 12, attempt: 2, status: 'done', metrics }, { id: 11, status: 'failed' }),
    ).toMatchObject({ state: 'retried', text: '0.4', runId: '12' });
    const flagged = { id: 11, status: 'done', flagged: true, metrics } as const;
    expect(cellOf(flagged, { id: 12, attempt: 2, status: 'running' }).state).toBe('running');
    expect(cellOf(flagged, { id: 12, attempt: 2, status: 'planned' }).state).toBe('flagged');
  });

  it('shows why a run is flagged or failed', () => {
    const verdict = {
      id: 'kept-schedule',
      label: 'Generator kept its schedule',
      status: 'failed',
      evidence: '',
    } as const;
    const flagged = cellOf({
      status: 'done',
      flagged: true,
      metrics: { 'latency.p50': 2 },
      verdicts: [verdict],
    });
    expect(flagged).toMatchObject({
      state: 'flagged',
      detail: 'run 2, Latency, median 2.0 ms, flagged: generator fell behind schedule',
    });
    const failure = { code: 'x', message: 'The broker died.', remedy: '' };
    expect(cellOf({ status: 'failed', failure }).detail).toBe('run 2, The broker died.');
  });

  it('shows that a run was excluded manually, and why', () => {
    const exclusion = { reason: 'door slammed', at: 5 };
    const left = cellOf({ status: 'done', flagged: true, exclusion, tags: ['odd'] });
    expect(left.state).toBe('excluded');
    expect(left.detail).toBe('run 2, because: door slammed, tags: odd');
  });

  it.each([
    ['collecting', 'running'],
    ['interrupted', 'failed'],
    ['cancelled', 'cancelled'],
    ['done', 'done'],
  ] as const)('shows a run that is %s as %s', (status, state) => {
    expect(cellOf({ status }).state).toBe(state);
  });
});

describe('decimals of cells', () => {
  it('depend on the median and fit the largest value', () => {
    expect(cellDecimals([0.213, 0.3, 0.25], 5)).toBe(3);
    expect(cellDecimals([0.213, 0.3, 0.25], 4)).toBe(2);
    expect(cellDecimals([8.1, 9.5, 17], 5)).toBe(2);
    expect(cellDecimals([0.2, 0.3, 1200], 5)).toBe(0);
    expect(cellDecimals([], 5)).toBe(0);
  });
});
