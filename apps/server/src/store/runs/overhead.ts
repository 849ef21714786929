import * as z from 'zod';
import type { Database } from '../database.ts';
import { medianOf } from './median.ts';

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
