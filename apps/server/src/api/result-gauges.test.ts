import { readFileSync } from 'node:fs';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { maxExperiments, maxTreatments, ResultGauges, resultGauges, toBaseUnit } from './result-gauges.ts';

type Stores = ReturnType<typeof makeTestStores>;

function startGauges(stores: Stores) {
  const registry = new Registry();
  const gauges = new ResultGauges(stores, registry);
  return async (): Promise<string[]> => {
    gauges.update();
    return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  };
}

const seriesOf = (lines: readonly string[], name: string) =>
  lines.filter((line) => line.startsWith(`${name}{`));

describe('gauges of results', () => {
  it('show the last run of each treatment in base units', async () => {
    const stores = makeTestStores();
    const read = startGauges(stores);
    expect(await read()).toEqual([]);
    const { runs, plan } = playExperiment(stores, {}, (_treatment, block) => ({ latencyMs: block }));
    const lines = await read();
    for (const { key, label } of plan.treatments) {
      const last = runs.findLast(({ treatmentKey }) => treatmentKey === key);
      const labels = `experiment="TLS or not",testbed="local",treatment="${label}"`;
      const found = lines.find((line) =>
        line.startsWith(`mqttlab_treatment_latency_seconds{${labels},quantile="0.5"}`),
      );
      expect(Number(found?.split(' ').at(-1))).toBeCloseTo((last?.metrics['latency.p50'] ?? 0) / 1000, 12);
    }
    // The 99th percentile needs more messages.
    expect(seriesOf(lines, 'mqttlab_treatment_latency_seconds')).toHaveLength(6);
    expect(seriesOf(lines, 'mqttlab_treatment_last_run_flagged').map((line) => line.at(-1))).toEqual([
      '0',
      '0',
      '0',
    ]);
    expect(seriesOf(lines, 'mqttlab_treatment_last_run_timestamp_seconds')).toHaveLength(3);
  });

  it('continue the series of an experiment that is repeated under its name', async () => {
    const stores = makeTestStores();
    const read = startGauges(stores);
    playExperiment(stores, {}, () => ({ latencyMs: 1 }));
    const before = seriesOf(await read(), 'mqttlab_treatment_latency_seconds');
    const again = playExperiment(stores, {}, () => ({ latencyMs: 3 }));
    const after = seriesOf(await read(), 'mqttlab_treatment_latency_seconds');
    const nameOf = (line: string) => line.slice(0, line.lastIndexOf(' '));
    expect(after.map(nameOf).sort()).toEqual(before.map(nameOf).sort());
    expect(after).not.toEqual(before);
    stores.experiments.updateExperiment(again.id, { name: 'Renamed' });
    expect(seriesOf(await read(), 'mqttlab_treatment_latency_seconds')).toHaveLength(2 * before.length);
    stores.experiments.updateExperiment(again.id, { deletedAt: 2 });
    expect(seriesOf(await read(), 'mqttlab_treatment_latency_seconds').sort()).toEqual(before.sort());
  });

  it('leave out values that a failed check affects, and excluded runs', async () => {
    const stores = makeTestStores();
    const read = startGauges(stores);
    const { runs, plan } = playExperiment(stores);
    const [first] = plan.treatments;
    const last = runs.findLast(({ treatmentKey }) => treatmentKey === first?.key);
    if (!last) throw new Error('there is no run');
    const failed = last.verdicts.map((verdict) =>
      verdict.id === 'kept-schedule' ? { ...verdict, status: 'failed' as const } : verdict,
    );
    stores.runs.saveRunSummary(last.id, { verdicts: failed, metrics: last.metrics });
    const flagged = await read();
    expect(seriesOf(flagged, 'mqttlab_treatment_latency_seconds')).toHaveLength(4);
    expect(
      seriesOf(flagged, 'mqttlab_treatment_last_run_flagged').filter((line) => line.endsWith(' 1')),
    ).toHaveLength(1);
    stores.runs.updateRun(last.id, { exclusion: { reason: 'the cable was loose', at: 1 } });
    const excluded = await read();
    expect(seriesOf(excluded, 'mqttlab_treatment_latency_seconds')).toHaveLength(6);
  });

  it('are bounded in number', async () => {
    const stores = makeTestStores();
    const read = startGauges(stores);
    for (let index = 0; index < 3; index += 1) {
      const levels = { publishers: Array.from({ length: 20 }, (_, count) => count + 1), qos: [0, 1] };
      playExperiment(stores, { name: `Load ${index}`, factors: levels, repetitions: 1 });
    }
    const lines = await read();
    expect(seriesOf(lines, 'mqttlab_treatment_last_run_flagged')).toHaveLength(maxTreatments);
    const most = resultGauges.reduce((sum, { metrics }) => sum + metrics.length, 2);
    expect(lines.length).toBeLessThanOrEqual(maxTreatments * most);
  });

  it('are documented', () => {
    const page = readFileSync(new URL('../../../../docs/how-to/pools.md', import.meta.url), 'utf8');
    for (const { name } of resultGauges) expect(page).toContain(`\`${name}\``);
    expect(page).toContain(`${maxTreatments} treatments`);
    expect(page).toContain(`${maxExperiments} newest experiments`);
  });

  it('have a base unit for every metric', () => {
    for (const [id] of resultGauges.flatMap(({ metrics }) => metrics)) {
      const metric = findMetric(id);
      expect(metric, id).toBeDefined();
      expect(toBaseUnit({ id, unit: metric?.unit ?? '' }, 1), id).toBeGreaterThan(0);
    }
    expect(() => toBaseUnit({ id: 'x', unit: 'parsec' }, 1)).toThrow('parsec');
  });
});
