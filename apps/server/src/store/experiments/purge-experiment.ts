import type { Database } from '../database.ts';

/** Removes an experiment with everything of it, for good. */
export function purgeExperiment(database: Database, id: number): void {
  const ofRuns = 'run_id IN (SELECT id FROM runs WHERE experiment_id = :id)';
  database.transaction(() => {
    for (const table of ['run_series', 'run_metrics', 'run_results']) {
      database.run(`DELETE FROM ${table} WHERE ${ofRuns}`, { id });
    }
    database.run(`DELETE FROM log_lines WHERE experiment_id = :id OR ${ofRuns}`, { id });
    database.run('UPDATE runs SET retry_of = NULL WHERE experiment_id = :id', { id });
    database.run('DELETE FROM runs WHERE experiment_id = :id', { id });
    database.run('DELETE FROM experiment_tags WHERE experiment_id = :id', { id });
    database.run('DELETE FROM experiments WHERE id = :id', { id });
  });
}
