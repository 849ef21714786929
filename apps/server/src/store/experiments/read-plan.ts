import { type Plan, planSchema } from '@mqttlab/shared/domain/plans/plan';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { unpackJson } from '../packed-json.ts';
import { blob } from '../row.ts';

const rowSchema = z.object({ plan_packed: blob.nullable() });

/** null for a draft and for an experiment that is not there. */
export function readPlan(database: Database, experimentId: number): Plan | null {
  const row = database.get('SELECT plan_packed FROM experiments WHERE id = :id', { id: experimentId });
  const packed = row ? rowSchema.parse(row).plan_packed : null;
  return packed ? unpackJson(packed, planSchema) : null;
}
