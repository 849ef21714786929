import { ProblemError } from '../base/errors.ts';
import type { BundleMessage, BundleSource } from './open-bundle-process.ts';
import { readBundle } from './read-bundle.ts';
import { openZip } from './read-zip.ts';

/** Resolves once the message is on its way. */
function tell(message: BundleMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

/** One message of the other side for each Run, so that no more than one waits in memory. */
function whenAsked(): Promise<void> {
  return new Promise((resolve) => process.once('message', () => resolve()));
}

async function work({ path, bytes }: BundleSource): Promise<void> {
  const zip = await openZip(path, bytes);
  try {
    const bundle = await readBundle(zip, (done, all) => void tell({ kind: 'progress', done, all }));
    const { experiment, plan, fingerprint } = bundle;
    const { runs, ...head } = experiment;
    // All of it is looked at before anything is kept.
    for (const { id } of runs) {
      await bundle.readRun(id);
      await bundle.readFiles(id);
    }
    await tell({ kind: 'head', head, plan, fingerprint, runs: runs.length });
    for (const run of runs.toSorted((a, b) => a.id - b.id)) {
      await whenAsked();
      await tell({
        kind: 'run',
        run,
        results: (await bundle.readRun(run.id))?.results ?? [],
        files: await bundle.readFiles(run.id),
      });
    }
    await whenAsked();
    await tell({ kind: 'end' });
  } finally {
    zip.close();
  }
}

// Whoever started this one is gone.
process.once('disconnect', () => process.exit(1));

const [path = '', bytes = '0'] = process.argv.slice(2);
try {
  await work({ path, bytes: Number(bytes) });
} catch (error) {
  if (!(error instanceof ProblemError)) throw error;
  await tell({ kind: 'refused', problem: error.problem });
}
process.exit(0);
