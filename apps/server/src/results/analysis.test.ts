import { averageOnGrid } from '@mqttlab/shared/analysis/average-series';
import { environmentNotice } from '@mqttlab/shared/analysis/environment';
import { runValues, usualMetric } from '@mqttlab/shared/analysis/run-values';
import { comparedId } from '@mqttlab/shared/domain/runs/comparison';
import { meanInterval } from '@mqttlab/shared/statistics/estimates/interval';
import { describe, expect, it } from 'vitest';
import { findResolution } from '../api/check-plan.ts';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { makeComparison, selectRuns } from './compare.ts';
import { finishRun, makeHeadline } from './finish-run.ts';
import { averageWindow, chooseSeries, compareSeries } from './series.ts';

/** In ms by treatment and block, so that every difference is known. */
const latencies = (treatment: number, block: number) => 1 + treatment + block / 10;

describe('finishRun', () => {
  it('writes metrics, verdicts and flag, and is idempotent', () => {
    const stores = makeTestStores();
    const { runs } = playExperiment(stores, {}, () => ({ latencyMs: 3 }));
    const [run] = runs;
    expect(run?.metrics['latency.p50']).toBeCloseTo(3, 1);
    expect(run?.metrics['count.sent']).toBe(200);
    expect(run?.verdicts.length).toBeGreaterThan(3);
    expect(run?.flagged).toBe(false);
    expect(finishRun(stores, run!.id)).toEqual(run);
    expect(() => finishRun(stores, 999)).toThrow(RangeError);
  });

  it('flags a run that lost messages at QoS 1', () => {
    const stores = makeTestStores();
    const played = playExperiment(stores, { factors: { security: ['plain'], qos: [1] } }, () => ({
      lost: 3,
    }));
    expect(played.runs.every(({ flagged }) => flagged)).toBe(true);
    expect(stores.experiments.findExperimentSummary(played.id)?.progress).toMatchObject({
      done: 2,
      flagged: 2,
    });
  });
});

describe('the headline', () => {
  it('reports the clearest contrast with the baseline, within blocks', () => {
    const stores = makeTestStores();
    const { id, plan } = playExperiment(stores, { repetitions: 3 }, (treatment, block) => ({
      latencyMs: latencies(treatment, block) + (treatment === 2 && block === 1 ? 0.3 : 0),
    }));
    const headline = stores.experiments.findExperimentSummary(id)?.headline;
    const at = (key: string) =>
      stores.runs.readExperimentValues(id, { metric: 'latency.p50' }).filter((v) => v.treatmentKey === key);
    const [base, last] = [at(plan.treatments[0]!.key), at(plan.treatments[1]!.key)];
    const sorted = (values: typeof base) => values.toSorted((a, b) => a.block - b.block);
    const logs = sorted(last).map((run, i) => Math.log(run.value / sorted(base)[i]!.value));
    const expected = meanInterval(logs);
    expect(headline).toMatchObject({ metric: 'latency.p50', scale: 'ratio' });
    expect(headline?.who).toBe(
      `${plan.treatments[1]!.colourLabel} against ${plan.treatments[0]!.colourLabel}`,
    );
    expect(headline?.value).toBeCloseTo(Math.exp(expected.mean!), 9);
    expect(headline?.lo).toBeCloseTo(Math.exp(expected.lo!), 9);
    expect(headline?.hi).toBeCloseTo(Math.exp(expected.hi!), 9);
    expect(headline?.points.map(({ mark }) => mark)).toEqual(plan.treatments.map(({ mark }) => mark));
  });

  it('does not mix rows: QoS does not leak into the cost of TLS', () => {
    const stores = makeTestStores();
    const factors = { security: ['plain', 'TLS 1.3'], cipherSuite: ['TLS_AES_256_GCM_SHA384'], qos: [0, 1] };
    const { id, plan } = playExperiment(stores, { factors }, (treatment) => {
      const { spec } = plan0(treatment);
      return { latencyMs: 1 + spec.qos * 10 + (spec.security === 'plain' ? 0 : 2) };
    });
    function plan0(index: number) {
      return stores.experiments.findExperiment(1)!.plan!.treatments[index]!;
    }
    expect(plan.treatments).toHaveLength(4);
    // At QoS 0, where 2 ms is the maximum: three times as long.
    expect(stores.experiments.findExperimentSummary(id)?.headline).toMatchObject({ outcome: 'few' });
    expect(stores.experiments.findExperimentSummary(id)?.headline?.value).toBeCloseTo(3, 1);
  });

  it('has no interval from one block and is absent without a contrast', () => {
    const stores = makeTestStores();
    const once = playExperiment(stores, { repetitions: 1 }, (treatment) => ({ latencyMs: 1 + treatment }));
    expect(stores.experiments.findExperimentSummary(once.id)?.headline).toMatchObject({ lo: null, hi: null });
    const single = playExperiment(stores, { factors: { security: ['plain'] } });
    expect(stores.experiments.findExperimentSummary(single.id)?.headline).toBeNull();
    expect(makeHeadline(once.plan, [])).toBeNull();
  });
});

describe('makeComparison', () => {
  it('marks flagged runs and excludes them from the boxes', async () => {
    const stores = makeTestStores();
    const factors = { security: ['plain'], qos: [1], readingBytes: [100, 256] };
    const { id } = playExperiment(stores, { factors }, (treatment, block) => ({
      latencyMs: block === 2 ? 50 : 2,
      lost: treatment === 0 && block === 2 ? 1 : 0,
    }));
    const comparison = await makeComparison(stores, { experiments: String(id) });
    expect(comparison).toMatchObject({ flaggedRuns: 1, failedRuns: 0 });
    const [flaggedOne, clean] = comparison.treatments;
    expect(flaggedOne?.runs.map(({ flagged }) => flagged).sort()).toEqual([false, true]);
    expect(flaggedOne?.latency?.messages).toBe(200);
    expect(flaggedOne?.latency?.p50).toBeCloseTo(2, 1);
    expect(clean?.latency?.messages).toBe(400);
    expect(clean?.latency?.p95).toBeGreaterThan(50);
    expect(clean?.id).toBe(comparedId(id, clean!.treatment.key));
  });

  it('excludes values by response: too few messages do not affect their bytes', async () => {
    const stores = makeTestStores();
    const { id, plan } = playExperiment(
      stores,
      { factors: { security: ['plain'], qos: [0, 1] } },
      (_, block) => (block === 1 ? { messages: 3 } : {}),
    );
    const { treatments, flaggedRuns } = await makeComparison(stores, { experiments: String(id) });
    expect(flaggedRuns).toBe(2);
    expect(treatments[0]?.runs[0]).toMatchObject({ flagged: true, failed: ['enough-messages'] });
    const used = (metric: string) =>
      treatments.map((treatment) => runValues(treatment, { metric, flagged: false }).length);
    const all = plan.repetitions;
    expect(used('wire.perMessage')).toEqual([all, all]);
    expect(used('latency.p50')).toEqual([all - 1, all - 1]);
    const values = (metric: string) => stores.runs.readExperimentValues(id, { metric }).length;
    expect([values('wire.perMessage'), values('latency.p50')]).toEqual([2 * all, 2 * all - 2]);
  });

  it('uses the last attempts, selected runs only, and several experiments', async () => {
    const stores = makeTestStores();
    const one = playExperiment(stores, { factors: { security: ['plain'] } }, (_, block) =>
      block === 1 ? null : {},
    );
    const two = playExperiment(stores);
    expect(await makeComparison(stores, { experiments: String(one.id) })).toMatchObject({ failedRuns: 1 });
    const failed = one.runs.find(({ status }) => status === 'failed')!;
    const { block, treatmentKey, trialNumber } = failed;
    const again = { experimentId: one.id, trialNumber, block, treatmentKey, attempt: 2, retryOf: failed.id };
    stores.runs.updateRun(stores.runs.createRun(again).id, { status: 'done' });
    const both = await makeComparison(stores, { experiments: `${one.id},${two.id}` });
    expect(both.failedRuns).toBe(0);
    expect(both.experiments.map(({ id }) => id)).toEqual([one.id, two.id]);
    expect(both.treatments.map(({ runs }) => runs.length)).toEqual([2, 2, 2, 2]);
    const chosen = await makeComparison(stores, { runs: `${two.runs[0]!.id},${two.runs[1]!.id}` });
    expect(chosen.treatments.flatMap(({ runs }) => runs)).toHaveLength(2);
    await expect(makeComparison(stores, { experiments: '99' })).rejects.toThrow(/no experiment 99/);
    await expect(makeComparison(stores, { runs: '99' })).rejects.toThrow(/no run 99/);
  });
});

describe('the environment of a comparison', () => {
  it('is that of the first and the last run of each treatment', async () => {
    const stores = makeTestStores();
    const draft = { repetitions: 3 };
    const device = (kernel: string) => ({ 'device.kernel': kernel, 'broker.version': '2.0.11' });
    const one = playExperiment(stores, draft, () => ({ environment: device('6.1') }));
    const two = playExperiment(stores, draft, (_, block) => ({
      environment: device(block === 3 ? '6.12' : '6.6'),
    }));
    const { treatments } = await makeComparison(stores, { experiments: `${one.id},${two.id}` });
    const kernels = treatments.map(({ environment }) => environment?.['device.kernel']);
    expect(new Set(kernels.map(String))).toEqual(new Set(['6.1', '6.12,6.6']));
    expect(environmentNotice(treatments)).toBe('Kernel differs between the compared runs.');
  });
});

describe('compareSeries', () => {
  it('averages runs on the sampling grid with a t interval', () => {
    const stores = makeTestStores();
    const { id } = playExperiment(stores, { sampleHz: 1, repetitions: 3 }, (treatment, block) => ({
      latencyMs: treatment + block,
    }));
    const question = { metric: 'cpu.process', role: 'publisher', flagged: false };
    const [first, ...rest] = compareSeries(stores, { experiments: String(id) }, question);
    expect(rest).toHaveLength(2);
    expect(first).toMatchObject({ runs: 3, unit: '%', timesMs: [-1000, 0, 1000, 2000, 3000].slice(0, 4) });
    const expected = meanInterval([1.1, 2.1, 3.1]);
    expect(first?.mean).toEqual([null, expected.mean, 3.25, 5]);
    // A share of a core is never negative.
    expect([expected.lo! < 0, first?.lo[1]]).toEqual([true, 0]);
    expect(first?.hi[1]).toBeCloseTo(expected.hi!, 9);
    expect(compareSeries(stores, { experiments: String(id) }, { ...question, metric: 'none' })).toEqual([]);
  });

  it('excludes a flagged run only if its failed verdict affects the series', async () => {
    const stores = makeTestStores();
    const { id, plan, runs } = playExperiment(stores, { repetitions: 3 }, (treatment, block) => ({
      latencyMs: 1 + treatment + block,
    }));
    const [first] = runs;
    const { verdicts, metrics } = stores.runs.findRun(first!.id)!;
    // Too few messages for a quantile do not affect CPU.
    const failed = { ...verdicts[0]!, id: 'enough-messages', status: 'failed' } as const;
    stores.runs.saveRunSummary(first!.id, { verdicts: [...verdicts.slice(1), failed], metrics });
    const query = { experiments: String(id) };
    const runsOf = (role: string, metric: string, flagged = false) =>
      compareSeries(stores, query, { role, metric, flagged }).map((one) => one.runs);
    const countsWith = (own: number, other = 3) =>
      plan.treatments.map(({ key }) => (key === first!.treatmentKey ? own : other));
    expect(runsOf('publisher', 'cpu.process')).toEqual(countsWith(3));
    const windowOf = (metric: string) =>
      averageWindow(stores, query, {
        role: 'publisher',
        metric,
        flagged: false,
        window: { fromMs: 0, toMs: 1500 },
      }).map((one) => one.runs);
    expect(windowOf('cpu.process')).toEqual(countsWith(3));
    const { treatments } = await makeComparison(stores, query);
    expect(treatments.map(({ latency }) => latency?.messages)).toEqual(countsWith(400, 600));
    // A busy device affects CPU, but not memory.
    const busy = { ...failed, id: 'device-idle' };
    stores.runs.saveRunSummary(first!.id, { verdicts: [...verdicts.slice(1), busy], metrics });
    expect(runsOf('publisher', 'cpu.process')).toEqual(countsWith(2));
    expect(windowOf('cpu.process')).toEqual(countsWith(2));
    expect(runsOf('publisher', 'memory.resident')).toEqual(countsWith(3));
    expect(runsOf('publisher', 'cpu.process', true)).toEqual(countsWith(3));
  });

  it('uses the default series if none is selected', () => {
    const stores = makeTestStores();
    const { id, runs } = playExperiment(stores, {}, () => ({ latencyMs: 3 }));
    const chosen = () =>
      chooseSeries(selectRuns(stores, { experiments: String(id) }, usualMetric), { flagged: false });
    expect(chosen()).toEqual({ role: 'subscriber', metric: 'latency.p50' });
    // As an experiment that only opens connections.
    for (const { id: runId } of runs) stores.runs.saveRunSummary(runId, { verdicts: [], metrics: {} });
    expect(chosen()).toEqual({ role: 'broker', metric: 'cpu.process' });
    const [asked] = compareSeries(stores, { experiments: String(id) }, { flagged: true });
    expect(asked).toMatchObject({ metric: 'cpu.process', role: 'broker' });
  });

  it('limits the number of points', () => {
    const timesMs = Array.from({ length: 50_000 }, (_, i) => i * 100);
    const series = { metric: 'm', unit: '', timesMs, values: timesMs.map(() => 7) };
    const averaged = averageOnGrid([[series]], 100, 0.95);
    expect(averaged.timesMs.length).toBeLessThanOrEqual(2001);
    expect(new Set(averaged.mean)).toEqual(new Set([7]));
    expect(averageOnGrid([], 100, 0.95).timesMs).toEqual([]);
  });
});

describe('averageWindow', () => {
  it('averages each run within the interval, then over runs', () => {
    const stores = makeTestStores();
    const { id } = playExperiment(stores, { repetitions: 3 }, (treatment, block) => ({
      latencyMs: treatment + block,
    }));
    const ask = (fromMs: number, toMs: number) =>
      averageWindow(
        stores,
        { experiments: String(id) },
        { metric: 'cpu.process', role: 'publisher', flagged: false, window: { fromMs, toMs } },
      );
    const expected = meanInterval([(1.1 + 3.25) / 2, (2.1 + 3.25) / 2, (3.1 + 3.25) / 2]);
    const { mean, lo, hi } = expected;
    expect(ask(0, 1500)[0]).toMatchObject({ runs: 3, mean, lo, hi });
    expect(ask(0, 1500)).toHaveLength(3);
    // The only sample is missing: no value, not zero.
    expect(ask(-2000, -1)).toEqual([]);
  });
});

describe('findResolution', () => {
  it('pools the spread of differences within repetitions over experiments that varied the same factors', () => {
    const stores = makeTestStores();
    const alike = playExperiment(stores, {}, (treatment, block) => ({ latencyMs: 10 * treatment + block }));
    playExperiment(stores, { factors: { security: ['plain'], qos: [0, 1] } }, (_, block) => ({
      latencyMs: 50 * block,
    }));
    const found = findResolution(stores.runs, alike.plan);
    // Two repetitions of three treatments, on the log scale: the variance of each pair's differences.
    const [a = 0, b = 0, c = 0] = [0, 10, 20].map((base) => Math.log((base + 2) / (base + 1)));
    const squares = [(a - b) ** 2 / 2, (a - c) ** 2 / 2, (b - c) ** 2 / 2];
    expect(found?.scale).toBe('ratio');
    expect(found?.sdOfDifferences).toBeCloseTo(Math.sqrt(squares.reduce((all, one) => all + one, 0) / 3), 2);
    expect(found).toMatchObject({
      fromRuns: 6,
      fromExperiments: [alike.id],
      contrasts: 2,
      unit: 'ms',
      sameFactors: true,
    });
  });

  it('excludes runs of another kind of workload, even with the same metric', () => {
    const stores = makeTestStores();
    const { plan } = playExperiment(stores);
    const workload = { ...plan.workload, kind: 'burst' } as const;
    expect(findResolution(stores.runs, plan)).not.toBeNull();
    expect(findResolution(stores.runs, { ...plan, workload })).toBeNull();
  });

  it('falls back to the testbed, and to nothing', () => {
    const stores = makeTestStores();
    const other = playExperiment(stores, { factors: { security: ['plain'], qos: [0, 1] }, repetitions: 3 });
    const { plan } = playExperiment(stores, {}, () => null);
    expect(findResolution(stores.runs, plan)).toMatchObject({
      fromExperiments: [other.id],
      sameFactors: false,
    });
    // Bytes of plain runs say nothing about those with TLS.
    expect(findResolution(stores.runs, { ...plan, response: 'wire.perMessage' })).toBeNull();
    expect(findResolution(stores.runs, { ...other.plan, response: 'wire.perMessage' })).not.toBeNull();
    expect(findResolution(stores.runs, { ...plan, testbedId: 'elsewhere' })).toBeNull();
    expect(findResolution(stores.runs, { ...plan, response: 'nothing' })).toBeNull();
  });
});
