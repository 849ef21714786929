import * as z from 'zod';
import { formatBytes } from '../format/quantity.ts';

/** Storage settings; null for no retention or no warning. */
export const storageSettingsSchema = z.strictObject({
  /**
   * Days after the end of a run after which its series and logs are removed, except for experiments that keep
   * everything.
   */
  retentionDays: z.int('needs whole days').min(1, 'needs at least 1 day').max(36_500).nullable(),
  /** Size above which a warning is shown. */
  budgetBytes: z.int('needs whole bytes').min(1, 'needs at least 1 byte').max(1e15).nullable(),
});

const bytes = z.number().min(0);

/** Storage used in the database. */
export const storageUsageSchema = z.strictObject({
  settings: storageSettingsSchema,
  usedBytes: bytes,
  freeBytes: bytes.nullable(),
  /** Warning if usage exceeds the budget. */
  overBudget: z.string().optional(),
  parts: z.array(z.strictObject({ what: z.string(), bytes })),
  /** Largest experiments first. */
  experiments: z.array(z.strictObject({ id: z.int(), name: z.string(), bytes, keepEverything: z.boolean() })),
  /** Number of runs whose series and logs were removed. */
  removedRuns: z.int(),
});

export type StorageSettings = z.infer<typeof storageSettingsSchema>;
export type StorageUsage = z.infer<typeof storageUsageSchema>;

/**
 * Returns the storage warning for banner, settings page and command line; undefined if usage is within the
 * budget. Pure.
 */
export function overBudgetWords(usedBytes: number, budgetBytes: number | null): string | undefined {
  if (budgetBytes === null || usedBytes <= budgetBytes) return undefined;
  return `The data uses ${formatBytes(usedBytes)}, more than the budget of ${formatBytes(budgetBytes)}. See Settings, Storage for details.`;
}
