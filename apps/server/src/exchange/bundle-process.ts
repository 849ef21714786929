import { once } from 'node:events';
import type { Altered } from '@mqttlab/shared/domain/runs/import-marks';
import { forkedData } from '../base/child-programs.ts';
import { ProblemError, unprocessable } from '../base/errors.ts';
import type { BundleMessage, BundleSource } from './open-bundle-process.ts';
import { checkEvidence, type Difference, readBundle } from './read-bundle.ts';
import { openZip } from './read-zip.ts';

/** Sends a message; resolves when it has been sent. */
function send(message: BundleMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

/** Maximum number of differences listed in a problem. */
const maxNamed = 20;

async function work({ path, bytes, acceptsAltered }: BundleSource): Promise<void> {
  const zip = await openZip(path, bytes);
  try {
    const bundle = await readBundle(zip, (done, all) => void send({ kind: 'progress', done, all }));
    const { experiment, plan, fingerprint } = bundle;
    const { runs, ...head } = experiment;
    // All runs are checked before any run is stored.
    const differences: Difference[] = [];
    const specs = new Map(plan.treatments.map(({ key, spec }) => [key, spec]));
    for (const run of runs) {
      const results = (await bundle.readRun(run.id))?.results.map(({ result }) => result) ?? [];
      await bundle.readFiles(run.id);
      const spec = specs.get(run.treatmentKey);
      const isForeign = head.foreign !== undefined;
      if (spec)
        differences.push(...checkEvidence({ run, results, spec, definitions: head.definitions, isForeign }));
    }
    if (differences.length > 0 && !acceptsAltered) throw refuseAltered(differences);
    const altered = head.altered ?? alteredOf(differences);
    await send({ kind: 'head', head, plan, fingerprint, altered, runs: runs.length });
    for (const run of runs.toSorted((a, b) => a.id - b.id)) {
      // Each run is requested separately, so that only one run is in memory.
      await once(process, 'message');
      await send({
        kind: 'run',
        run,
        results: (await bundle.readRun(run.id))?.results ?? [],
        files: await bundle.readFiles(run.id),
      });
    }
    await once(process, 'message');
    await send({ kind: 'end' });
  } finally {
    zip.close();
  }
}

function refuseAltered(differences: readonly Difference[]): ProblemError {
  return unprocessable(
    'The bundle cannot be imported: its figures do not match its evidence.',
    differences
      .slice(0, maxNamed)
      .map(({ run, what, reason }) => ({
        field: `${run}: ${what}`,
        reason,
        remedy: 'Ask its author for the original bundle, or import it marked as altered.',
      })),
  );
}

function alteredOf(differences: readonly Difference[]): Altered | null {
  if (differences.length === 0) return null;
  return {
    values: differences.length,
    runs: new Set(differences.map(({ run }) => run)).size,
    examples: differences.slice(0, maxNamed).map(({ run, what, reason }) => `${run}, ${what}: ${reason}`),
  };
}

try {
  await work(forkedData());
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  await send({ kind: 'refused', problem: error.problem });
}
process.exit(0);
