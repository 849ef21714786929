import type { Database } from '../database.ts';
import { countOf } from '../table.ts';

export interface StoredAnswer {
  /** Question and parameters. */
  key: string;
  /** State of the experiments when the answer was computed. */
  revision: string;
  /** JSON, compressed with Brotli. */
  packed: Uint8Array;
}

/** Maximum size of stored answers, in bytes. */
const defaultCapacity = 256 * 1024 * 1024;

export type AnswerStore = ReturnType<typeof makeAnswerStore>;

/**
 * Stores answers about finished experiments in SQLite, so that each is computed once. Triggers delete them on
 * any change of an experiment. `program` identifies the code that computes them, because other programs may
 * compute other answers.
 */
export function makeAnswerStore(database: Database, program: string, capacity = defaultCapacity) {
  return {
    findAnswer({ key, revision }: Pick<StoredAnswer, 'key' | 'revision'>): Uint8Array | null {
      const [packed] = database.column<Uint8Array>(
        `SELECT packed FROM stored_answers
         WHERE key = :key AND program = :program AND revision = :revision`,
        { key, program, revision },
      );
      return packed ?? null;
    },

    /**
     * Stores an answer and replaces an earlier one. Deletes the oldest answers above the capacity. Throws
     * StorageError.
     */
    saveAnswer({ key, revision, packed }: StoredAnswer, experimentIds: readonly number[]): void {
      database.transaction(() => {
        database.run('DELETE FROM stored_answers WHERE key = :key', { key });
        const { id } = database.run(
          `INSERT INTO stored_answers (key, program, revision, bytes, packed)
           VALUES (:key, :program, :revision, :bytes, :packed)`,
          { key, program, revision, bytes: packed.length, packed },
        );
        for (const experimentId of new Set(experimentIds)) {
          database.run(
            'INSERT INTO stored_answer_experiments (experiment_id, answer_id) VALUES (:experimentId, :id)',
            { experimentId, id },
          );
        }
        database.run(
          `DELETE FROM stored_answers WHERE id IN (
             SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY id DESC) AS total FROM stored_answers)
             WHERE total > :capacity)`,
          { capacity },
        );
      });
    },

    /** Deletes the answers computed by other programs. Throws StorageError. */
    removeOutdatedAnswers(): void {
      database.run('DELETE FROM stored_answers WHERE program <> :program', { program });
    },

    count: (): number => countOf(database, 'SELECT count(*) AS count FROM stored_answers'),
  };
}
