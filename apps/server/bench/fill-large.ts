import { DatabaseSync } from 'node:sqlite';
import { databasePath } from '../src/store/data-folder.ts';
import { openDatabase } from '../src/store/database.ts';
import { makeExperimentStore } from '../src/store/experiments/experiment-store.ts';
import { makeRunStore } from '../src/store/runs/run-store.ts';
import { makeTestDraft, makeTestPlan } from '../src/testing/experiment-factory.ts';
import { playExperiment } from '../src/testing/stores-factory.ts';

export interface LargeDatabase {
  runs: number;
  /** The experiment with the most runs, and the number of its runs. */
  largest: { id: number; runs: number; runIds: number[] };
  /** Experiments of 24 to 200 runs, with their run ids. */
  usual: { id: number; runIds: number[] }[];
}

const fewFactors = {
  security: ['plain', 'TLS 1.3'],
  cipherSuite: ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  qos: [0, 1],
};
/** Number of repetitions in the template that all runs are copied from. */
const templateBlocks = 4;
/** Numbers of runs in the experiments that requests usually select. */
const usualSizes = Array.from({ length: 40 }, (_, i) => 24 + 6 * Math.round((i * 176) / 39 / 6));

/**
 * Fills a data folder with `runs` runs in minutes. One small experiment is computed, and its rows are copied
 * with SQL. The largest experiment has `largest` runs. Apart from 40 experiments of 24 to 200 runs, all
 * others are of that size.
 */
export function fillLarge(
  folder: string,
  { runs, largest }: { runs: number; largest: number },
): LargeDatabase {
  // A plan has at most 1,000 repetitions.
  const factors = largest <= 6000 ? fewFactors : { ...fewFactors, readingBytes: [100, 1000] };
  const treatments = largest <= 6000 ? 6 : 12;
  const path = databasePath(folder);
  const database = openDatabase(path);
  const stores = { experiments: makeExperimentStore(database), runs: makeRunStore(database) };
  const template = playExperiment(
    stores,
    { name: 'Template', factors, repetitions: templateBlocks },
    (treatment, block) => ({ latencyMs: 1 + treatment / 5 + block / 10, samples: 7 }),
  );
  const sizes = [largest, ...usualSizes];
  for (let left = runs - sum(sizes) - template.runs.length; left > 0; left -= largest) {
    sizes.push(Math.max(treatments, Math.min(left, largest)));
  }
  const made = sizes.map((size) => {
    const repetitions = Math.round(size / treatments);
    const name = `Experiment with ${repetitions * treatments} runs`;
    const { id } = stores.experiments.createExperiment(makeTestDraft({ name, factors, repetitions }));
    const plan = makeTestPlan({ name, factors, repetitions });
    stores.experiments.savePlan(id, plan);
    return { id, trials: plan.trials };
  });
  database.close();

  const raw = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  raw.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA temp_store = MEMORY; BEGIN');
  raw.exec(
    'CREATE TEMP TABLE copies (id INTEGER PRIMARY KEY, template INTEGER, experiment INTEGER, trial INTEGER)',
  );
  const note = raw.prepare('INSERT INTO copies VALUES (?, ?, ?, ?)');
  const templateOf = new Map(template.runs.map((run) => [`${run.treatmentKey} ${run.block}`, run.id]));
  let next = Math.max(...template.runs.map(({ id }) => id)) + 1;
  const ids = made.map(({ id, trials }) => {
    const own: number[] = [];
    for (const { number, block, treatmentKey } of trials) {
      const from = templateOf.get(`${treatmentKey} ${1 + (block % templateBlocks)}`);
      if (from === undefined) throw new Error(`the template has no treatment ${treatmentKey}`);
      note.run(next, from, id, number);
      own.push(next);
      next += 1;
    }
    return { id, runIds: own };
  });
  const columnsOf = (table: string, changed: Record<string, string>) => {
    const names = raw
      .prepare(`SELECT name FROM pragma_table_info('${table}')`)
      .all()
      .map((row) => String(row.name));
    return {
      names: names.join(', '),
      values: names.map((name) => changed[name] ?? `old.${name}`).join(', '),
    };
  };
  const copy = (table: string, key: string, changed: Record<string, string>): void => {
    const { names, values } = columnsOf(table, changed);
    raw.exec(`INSERT INTO ${table} (${names}) SELECT ${values} FROM copies JOIN ${table} AS old
      ON old.${key} = copies.template ORDER BY copies.id`);
  };
  copy('runs', 'id', {
    id: 'copies.id',
    experiment_id: 'copies.experiment',
    trial_number: 'copies.trial',
    block: `1 + (copies.trial - 1) / ${treatments}`,
    retry_of: 'NULL',
  });
  // Values differ slightly, as in real runs.
  copy('run_metrics', 'run_id', {
    run_id: 'copies.id',
    value: 'old.value * (1 + ((copies.id * 7919) % 101 - 50) / 2000.0)',
  });
  copy('run_results', 'run_id', { run_id: 'copies.id' });
  copy('run_series', 'run_id', { run_id: 'copies.id' });
  raw.exec(`UPDATE experiments SET status = 'done', started_at = 1000, finished_at = 9000,
    done = trials WHERE id IN (SELECT experiment FROM copies)`);
  raw.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  raw.close();
  const [first, ...others] = ids;
  if (!first) throw new Error('no experiment was made');
  return {
    runs: next - 1,
    largest: { id: first.id, runs: first.runIds.length, runIds: first.runIds },
    usual: others.slice(0, usualSizes.length),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
