import type { Plan } from '@mqttlab/shared/domain/plans/plan';

const capacity = 16;

export interface PlanCache {
  find(id: number): Plan | null;
  forget(id: number): void;
}

/** Keeps the last plans read: a plan never changes, and unpacking 10,000 trials takes longer than a query. */
export function makePlanCache(read: (id: number) => Plan | null): PlanCache {
  const kept = new Map<number, Plan>();
  return {
    find(id) {
      const plan = kept.get(id) ?? read(id);
      if (!plan) return null;
      kept.delete(id);
      kept.set(id, plan);
      const [oldest] = kept.keys();
      if (kept.size > capacity && oldest !== undefined) kept.delete(oldest);
      return plan;
    },
    forget(id) {
      kept.delete(id);
    },
  };
}
