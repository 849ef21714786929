import { definitionsVersion } from '@mqttlab/shared/catalogue/definitions';
import * as z from 'zod';
import type { Database } from '../database.ts';

const idSchema = z.object({ id: z.int() });
const hasEvidence = 'EXISTS (SELECT 1 FROM run_results WHERE run_id = runs.id)';

/** Done runs with evidence whose figures were computed by definitions before these, oldest first. */
export function listOfEarlierDefinitions(database: Database, version: number, limit: number): number[] {
  return database
    .all(
      `SELECT id FROM runs WHERE definitions < :version AND status = 'done' AND ${hasEvidence}
       ORDER BY id LIMIT :limit`,
      { version, limit },
    )
    .map((row) => idSchema.parse(row).id);
}

const earliestSchema = z.object({ earliest: z.int().nullable() });

/** Of the done runs of an experiment; the present ones where there are none. */
export function earliestDefinitions(database: Database, experimentId: number): number {
  const row = database.get(
    `SELECT min(definitions) AS earliest FROM runs WHERE experiment_id = :experimentId AND status = 'done'`,
    { experimentId },
  );
  return earliestSchema.parse(row).earliest ?? definitionsVersion;
}

/** Nothing can be computed anew of these. */
export function markWithoutEvidence(database: Database, version: number): void {
  database.run(
    `UPDATE runs SET definitions = :version WHERE definitions < :version AND status = 'done' AND NOT ${hasEvidence}`,
    { version },
  );
}
