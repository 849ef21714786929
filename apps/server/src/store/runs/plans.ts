import { type Plan, planSchema } from '@mqttlab/shared/domain/plans/plan';
import type { Database } from '../database.ts';
import { blob, defineTable, unpackJson } from '../table.ts';

const capacity = 16;
const packedPlans = defineTable('experiments', { planPacked: blob.nullable() });

/** Plans by experiment; null for a draft or an unknown experiment. */
export type PlanCache = ReturnType<typeof makePlanCache>;

/** Caches the last plans: a plan never changes, and unpacking 10,000 trials takes longer than a query. */
export function makePlanCache(database: Database) {
  const kept = new Map<number, Plan>();
  const read = (id: number): Plan | null => {
    const packed = packedPlans(database).find('WHERE id = :id', { id })?.planPacked;
    return packed ? unpackJson(packed, planSchema) : null;
  };
  return {
    find(id: number): Plan | null {
      const plan = kept.get(id) ?? read(id);
      if (!plan) return null;
      kept.delete(id);
      kept.set(id, plan);
      const [oldest] = kept.keys();
      if (kept.size > capacity && oldest !== undefined) kept.delete(oldest);
      return plan;
    },
    forget(id: number): void {
      kept.delete(id);
    },
  };
}
