import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { estimate } from '@mqttlab/shared/planning/estimate';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { medianOf, medianOverheadMs } from '../runs/progress.ts';
import type { SummaryRow } from './experiment-rows.ts';

const recentRuns = 50;

/**
 * ms until the experiment is through, from the median duration of its own runs or, before the first is done, from
 * the plan and the overhead seen on its testbed; null when nothing runs.
 */
export function timeLeftMs(
  database: Database,
  row: SummaryRow,
  context: { planOf(id: number): Plan | null; now: number },
): number | null {
  const ending = row.status === 'pausing' || row.status === 'stopping';
  if (row.status !== 'running' && !ending) return null;
  const runMs = medianRunMs(database, row.id) ?? plannedRunMs(database, row, context.planOf(row.id));
  if (runMs === null) return null;
  const { startedAt, again } = currentRuns(database, row.id);
  const elapsedMs = startedAt === null ? 0 : Math.min(context.now - startedAt, runMs);
  const open = row.trials - row.done - row.failed - row.cancelled + again;
  const runs = ending ? Math.min(row.running, open) : open;
  return Math.max(0, runs * runMs - elapsedMs);
}

function plannedRunMs(database: Database, row: SummaryRow, plan: Plan | null): number | null {
  return plan ? estimate(plan, medianOverheadMs(database, row.testbedId)).runMs : null;
}

function medianRunMs(database: Database, experimentId: number): number | null {
  const durations = database
    .all(
      `SELECT finished_at - started_at AS ms FROM runs
       WHERE experiment_id = :experimentId AND status = 'done' AND finished_at IS NOT NULL AND started_at IS NOT NULL
       ORDER BY id DESC LIMIT ${recentRuns}`,
      { experimentId },
    )
    .map((found) => z.object({ ms: z.number() }).parse(found).ms);
  return medianOf(durations);
}

/** When the run under way began, and how many runs are to come, or under way, at trials that have a flagged one. */
function currentRuns(database: Database, experimentId: number): z.infer<typeof currentRow> {
  return currentRow.parse(
    database.get(
      `SELECT max(started_at) FILTER (WHERE status <> 'planned') AS startedAt,
         count(*) FILTER (WHERE superseded = 1) AS again
       FROM runs WHERE experiment_id = :experimentId AND status IN ('planned', 'preparing', 'running', 'collecting')`,
      { experimentId },
    ),
  );
}

const currentRow = z.object({ startedAt: z.number().nullable(), again: z.int() });
