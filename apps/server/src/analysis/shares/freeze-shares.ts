import { ProblemError } from '../../errors.ts';
import type { ShareStore } from '../../store/settings/share-store.ts';
import { makeShareContent } from './share-content.ts';
import type { SharedStudyStores } from './share-study-run.ts';

/**
 * Freezes every link whose content has settled, so that what is retried or renamed later does not change it. A link
 * whose content cannot be made (its subject was deleted) stays as it is.
 */
export async function freezeSettledShares(stores: SharedStudyStores & { shares: ShareStore }): Promise<void> {
  for (const { token, subject } of stores.shares.listUnfrozen()) {
    try {
      const { content, settled } = await makeShareContent(stores, subject);
      if (settled) stores.shares.freeze(token, content);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
    }
  }
}
