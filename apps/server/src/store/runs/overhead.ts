import * as z from 'zod';
import type { Database } from '../database.ts';

const recentRuns = 50;

/** Median overhead of the last finished runs on a testbed, ms; null before the first. */
export function medianOverheadMs(database: Database, testbedId: string): number | null {
  const found = database
    .all(
      `SELECT overhead_ms AS ms FROM runs
       WHERE testbed_id = :testbedId AND status = 'done' AND overhead_ms IS NOT NULL
       ORDER BY id DESC LIMIT ${recentRuns}`,
      { testbedId },
    )
    .map((row) => z.object({ ms: z.number() }).parse(row).ms);
  return medianOf(found);
}

/** null for no values. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
