import { experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import * as z from 'zod';
import type { DraftStoreOptions } from './draft-store.ts';

const localCopySchema = z.object({ draft: experimentDraftSchema, base: experimentDraftSchema });

/** Keeps what is not saved yet in this browser. A full or forbidden storage only loses that second safety net. */
export function makeLocalCopy(experimentId: number, storage: Storage): DraftStoreOptions['local'] {
  const key = `mqttlab-draft-${experimentId}`;
  return {
    read: () => {
      try {
        const parsed = localCopySchema.safeParse(JSON.parse(storage.getItem(key) ?? 'null'));
        return parsed.success ? parsed.data : null;
      } catch {
        return null;
      }
    },
    write: (copy) => {
      try {
        storage.setItem(key, JSON.stringify(copy));
      } catch {
        storage.removeItem(key);
      }
    },
    clear: () => storage.removeItem(key),
  };
}
