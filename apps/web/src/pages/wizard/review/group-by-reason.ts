import { findFactor } from '@mqttlab/shared/catalogue/factors';
import type { Excluded } from '@mqttlab/shared/domain/plans/plan';

export interface ReasonRow {
  key: string;
  /** "Cipher suite: TLS 1.2 cannot negotiate it" */
  reason: string;
  remedy: string;
  count: number;
  /** Levels of the refusing factor, each once. */
  levels: string[];
}

/** Impossible combinations by their first reason, the most frequent first. */
export function groupByReason(excluded: readonly Excluded[]): ReasonRow[] {
  const rows = new Map<string, ReasonRow>();
  for (const { levels, reasons } of excluded) {
    const [first] = reasons;
    if (!first) continue;
    const factor = findFactor(first.factor);
    const key = `${first.factor}:${first.reason}`;
    const value = levels[first.factor];
    const label = value === null || value === undefined ? null : (factor?.levelLabel(value) ?? String(value));
    const row = rows.get(key) ?? {
      key,
      reason: `${factor?.label ?? first.factor}: ${first.reason}`,
      remedy: first.remedy,
      count: 0,
      levels: [],
    };
    row.count += 1;
    if (label !== null && !row.levels.includes(label)) row.levels.push(label);
    rows.set(key, row);
  }
  return [...rows.values()].sort((a, b) => b.count - a.count);
}
