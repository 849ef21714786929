import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import { expect, it, vi } from 'vitest';
import { makeTestStores, playExperiment } from '../testing/stores-factory.ts';
import { startRedefining } from './redefine-runs.ts';

it('computes stored runs anew by the present definitions, says what changed, and does so once', async () => {
  const stores = makeTestStores();
  const { id, runs } = playExperiment(stores, { repetitions: 3 }, (treatment) => ({
    latencyMs: 1 + treatment,
  }));
  const [first, second] = runs;
  if (!first || !second) throw new Error('there are runs');
  // As an earlier version computed and kept them.
  for (const run of runs) {
    const metrics = run.id === first.id ? { ...run.metrics, 'latency.p50': 99 } : run.metrics;
    stores.runs.saveSummary(run.id, {
      verdicts: run.verdicts,
      metrics,
      bases: run.bases ?? {},
      definitions: 1,
    });
  }
  stores.experiments.saveHeadline(id, null);
  const onDone = vi.fn();
  const options = { onDone, onError: (error: unknown) => expect.fail(String(error)), now: () => 77 };
  const redefining = startRedefining(stores, options);
  await redefining.idle();
  expect(onDone).toHaveBeenCalledWith(runs.length);
  const now = stores.runs.find(first.id);
  expect(now?.metrics['latency.p50']).toBe(first.metrics['latency.p50']);
  expect(now?.redefined).toEqual({
    at: 77,
    changes: [{ metric: 'latency.p50', before: 99, after: first.metrics['latency.p50'] }],
    flagBefore: false,
  });
  expect(stores.runs.find(second.id)?.redefined).toBeUndefined();
  expect(stores.experiments.summary(id)?.headline).not.toBeNull();
  expect(stores.runs.earliestDefinitions(id)).toBe(definitionsVersion);
  redefining.wake();
  await redefining.idle();
  expect(onDone).toHaveBeenCalledTimes(1);
  await redefining.stop();
});
