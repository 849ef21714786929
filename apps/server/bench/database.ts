import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atMost, type BenchRow, figure, medianMs } from '@mqttlab/shared/testing/bench';
import { makeComparison } from '../src/results/compare.ts';
import { compareSeries } from '../src/results/series.ts';
import { openDatabase } from '../src/store/database.ts';
import { makeExperimentStore } from '../src/store/experiments/experiment-store.ts';
import { makeRunStore } from '../src/store/runs/run-store.ts';
import { makeTestDraft, makeTestPlan } from '../src/testing/experiment-factory.ts';
import { makeTestResult } from '../src/testing/result-factory.ts';
import { makeTestStores, playExperiment } from '../src/testing/stores-factory.ts';

const samples = 600;
const repeats = 9;

/** Times a comparison of 200 runs as sent by the server, and lists over 100,000 runs, before and after. */
export function benchDatabase(): BenchRow[] {
  const stores = makeTestStores();
  const alike = { factors: { security: ['plain'], qos: [0, 1] } };
  const large = playExperiment(stores, { ...alike, repetitions: 100 }, (_, block) => ({
    latencyMs: 1 + block / 100,
    samples,
  }));
  const small = playExperiment(stores, { ...alike, repetitions: 25 }, (_, block) => ({ latencyMs: block }));
  const answer = (experiments: string) => {
    const question = { metric: 'cpu.process', role: 'broker', flagged: true };
    return JSON.stringify([
      makeComparison(stores, { experiments }),
      compareSeries(stores, { experiments }, question),
    ]);
  };
  const compareLarge = medianMs(repeats, () => answer(String(large.id)));
  const compareSmall = medianMs(repeats, () => answer(String(small.id)));
  addRuns(stores, 100_000);
  const list = (search: string) =>
    stores.experiments.listExperiments({ status: 'finished', search, offset: 0, limit: 100 });
  return [
    atMost(`compare 200 runs x 3 devices x ${samples} samples, server`, compareLarge, {
      limit: 150,
      unit: 'ms',
    }),
    atMost(
      'list of experiments, 100,000 runs',
      medianMs(repeats, () => list('')),
      { limit: 50, unit: 'ms' },
    ),
    atMost(
      'filtered list, 100,000 runs',
      medianMs(repeats, () => list('Experiment 12')),
      { limit: 50, unit: 'ms' },
    ),
    {
      ...atMost(
        'compare 50 runs, 100,000 runs in the database',
        medianMs(repeats, () => answer(String(small.id))),
        { limit: 50, unit: 'ms' },
      ),
      reference: compareSmall,
    },
    benchSyncedResults(),
  ];
}

/**
 * Measures the cost of syncing a result to disk before acknowledging it, compared with writing it without
 * syncing.
 */
function benchSyncedResults(): BenchRow {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-bench-'));
  const database = openDatabase(join(folder, 'bench.db'));
  try {
    const runs = makeRunStore(database);
    const { id } = makeExperimentStore(database).createExperiment(makeTestDraft());
    const plan = makeTestPlan();
    const trial = { trialNumber: 1, block: 1, treatmentKey: plan.trials[0]?.treatmentKey ?? '' };
    const run = runs.createRun({ experimentId: id, ...trial, attempt: 1, retryOf: null });
    const result = makeTestResult('publisher', { spec: plan.treatments[0]!.spec, samples });
    let device = 0;
    const save = () => runs.saveResult(run.id, `pi-${device++}`, result);
    const synced = medianMs(99, save);
    const unsynced = medianMs(99, () => database.transaction(save));
    return {
      ...figure('result stored and synced; reference: not synced', synced, 'ms'),
      reference: unsynced,
    };
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
}

function addRuns({ database, experiments }: ReturnType<typeof makeTestStores>, count: number): void {
  const [key = ''] = makeTestPlan().treatments.map((treatment) => treatment.key);
  const each = 500;
  database.transaction(() => {
    for (let i = 0; i < count / each; i += 1) {
      const { id } = experiments.createExperiment(makeTestDraft({ name: `Experiment ${i}` }));
      database.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :each)
         INSERT INTO runs (experiment_id, testbed_id, trial_number, block, treatment_key, attempt, status, overhead_ms)
         SELECT :id, 'local', i, i, :key, 1, 'done', 900 FROM n`,
        { id, key, each },
      );
      database.run(`UPDATE experiments SET done = :each, trials = :each, status = 'done' WHERE id = :id`, {
        id,
        each,
      });
    }
    database.run(
      `INSERT OR IGNORE INTO run_metrics SELECT id, metric, id % 97 FROM runs,
         (SELECT 'latency.p50' AS metric UNION SELECT 'cpu.broker' UNION SELECT 'count.lost')`,
    );
  });
}
