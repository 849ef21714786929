import { setImmediate as breathe } from 'node:timers/promises';
import type { ChangeStore } from '../store/settings/change-store.ts';
import type { StorageStore } from '../store/settings/storage-store.ts';
import { startBackgroundWork } from './background-work.ts';

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
  /** Runs whose series were removed, by experiment; not in the log of changes yet. */
  const unlogged = new Map<number, number>();
  const logRemoved = (): void => {
    for (const [id, runs] of unlogged) {
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
      unlogged.delete(id);
    }
  };
  const work = async (isStopped: () => boolean): Promise<void> => {
    try {
      for (let id = storage.removeNext(); id !== null; id = isStopped() ? null : storage.removeNext()) {
        unlogged.set(id, (unlogged.get(id) ?? 0) + 1);
        await breathe();
      }
    } finally {
      logRemoved();
    }
  };
  const background = startBackgroundWork(work, { onError });
  const timer = setInterval(background.wake, everyMs).unref();
  return {
    ...background,
    stop(): Promise<void> {
      clearInterval(timer);
      return background.stop();
    },
  };
}
