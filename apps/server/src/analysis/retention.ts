import { setImmediate as breathe } from 'node:timers/promises';
import type { ChangeStore } from '../store/settings/change-store.ts';
import type { StorageStore } from '../store/settings/storage-store.ts';

const everyMs = 3_600_000;

interface RetentionOptions {
  onError: (error: unknown) => void;
}

/**
 * Removes series and logs that are older than what was set, run by run beside everything else: at the start, every
 * hour and when woken. The log of changes says of which experiments.
 */
export function startRetention(
  { storage, changes }: { storage: StorageStore; changes: ChangeStore },
  { onError }: RetentionOptions,
) {
  let stopped = false;
  let running: Promise<void> | null = null;

  const work = async (): Promise<void> => {
    const removed = new Map<number, number>();
    try {
      for (let id = storage.removeNext(); id !== null; id = stopped ? null : storage.removeNext()) {
        removed.set(id, (removed.get(id) ?? 0) + 1);
        await breathe();
      }
      for (const [id, runs] of removed) {
        const change = {
          actor: 'retention',
          address: 'this server',
          action: 'retention',
          words: 'Remove series and logs',
          subject: `/experiments/${id}`,
          before: null,
          after: { runs, retentionDays: storage.settings().retentionDays },
        };
        changes.add(change, { join: false });
      }
    } catch (error) {
      onError(error);
    }
  };
  const wake = (): void => {
    if (stopped) return;
    running ??= work().finally(() => {
      running = null;
    });
  };
  const timer = setInterval(wake, everyMs).unref();
  wake();
  return {
    wake,
    /** Resolves once nothing more is due, or it was stopped. */
    idle: async (): Promise<void> => void (await running),
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
