import * as z from 'zod';
import { formatBytes } from '../format/quantity.ts';

/** What an administrator chose; null: nothing is removed, nothing is warned of. */
export const storageSettingsSchema = z.strictObject({
  /** Series and logs of runs that ended longer ago are removed, but for experiments that keep everything. */
  retentionDays: z.int('needs whole days').min(1, 'needs at least 1 day').max(36_500).nullable(),
  /** Above it there is a warning. */
  budgetBytes: z.int('needs whole bytes').min(1, 'needs at least 1 byte').max(1e15).nullable(),
});

const bytes = z.number().min(0);

/** What takes how much, in the database. */
export const storageUsageSchema = z.strictObject({
  settings: storageSettingsSchema,
  usedBytes: bytes,
  freeBytes: bytes.nullable(),
  /** Said where more is used than was set. */
  overBudget: z.string().optional(),
  parts: z.array(z.strictObject({ what: z.string(), bytes })),
  /** Those that take most, largest first. */
  experiments: z.array(z.strictObject({ id: z.int(), name: z.string(), bytes, keepEverything: z.boolean() })),
  /** Runs whose series and logs were removed. */
  removedRuns: z.int(),
});

export type StorageSettings = z.infer<typeof storageSettingsSchema>;
export type StorageUsage = z.infer<typeof storageUsageSchema>;

/** For banner, settings page and command line; undefined within the budget. Pure. */
export function overBudgetWords(usedBytes: number, budgetBytes: number | null): string | undefined {
  if (budgetBytes === null || usedBytes <= budgetBytes) return undefined;
  return `The data take ${formatBytes(usedBytes)}, more than the ${formatBytes(budgetBytes)} that were set. Settings, Storage says what takes how much.`;
}
