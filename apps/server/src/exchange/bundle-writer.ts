import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { forkedData, packError } from '../base/child-programs.ts';
import { programOf } from '../results/answer-queue.ts';
import { openDatabaseToRead } from '../store/database.ts';
import { makeAnswerStore } from '../store/experiments/answer-store.ts';
import { makeExperimentStore } from '../store/experiments/experiment-store.ts';
import { makeRunFileStore } from '../store/runs/run-file-store.ts';
import { makeRunStore } from '../store/runs/run-store.ts';
import { openSecretBox } from '../store/secret-box.ts';
import { openBundleKey } from './bundle-format.ts';
import type { WriterData } from './open-bundle-process.ts';
import { writeBundle } from './write-bundle.ts';

const { databasePath, keyPath, ...request } = forkedData<WriterData>();
try {
  const database = openDatabaseToRead(databasePath);
  const stores = {
    experiments: makeExperimentStore(database),
    runs: makeRunStore(database),
    runFiles: makeRunFileStore(database, { secrets: openSecretBox(dirname(databasePath)) }),
  };
  const bundle = writeBundle(stores, {
    ...request,
    stored: makeAnswerStore(database, programOf(request.software)),
    key: openBundleKey(keyPath),
    signal: new AbortController().signal,
  });
  await pipeline(bundle, process.stdout);
} catch (error) {
  await new Promise((resolve) => process.send?.(packError(error), resolve));
}
process.exit(0);
