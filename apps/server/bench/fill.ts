import { databasePath } from '../src/store/data-folder.ts';
import { openDatabase } from '../src/store/database.ts';
import { makeExperimentStore } from '../src/store/experiments/experiment-store.ts';
import { makeRunStore } from '../src/store/runs/run-store.ts';
import { playExperiment } from '../src/testing/stores-factory.ts';

/** Fills the data folder named by the first argument with one experiment of 200 runs x 3 devices x 600 samples. */
const database = openDatabase(databasePath(process.argv[2] ?? '.'));
const stores = { experiments: makeExperimentStore(database), runs: makeRunStore(database) };
const factors = {
  security: ['plain', 'TLS 1.3'],
  cipherSuite: ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
  qos: [0, 1],
};
const { id, runs } = playExperiment(
  stores,
  { name: 'Large', factors, repetitions: 25 },
  (treatment, block) => ({ latencyMs: 1 + treatment + block / 100, samples: 600 }),
);
database.close();
console.log(JSON.stringify({ id, runs: runs.length }));
