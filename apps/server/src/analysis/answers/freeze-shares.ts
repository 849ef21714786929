import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { ProblemError } from '../../base/errors.ts';
import type { ShareStore, ShareSubject } from '../../store/settings/share-store.ts';
import { StorageError } from '../../store/storage-error.ts';
import { experimentsOfShare, type SharedStores, stateOfShare } from '../shares/share-content.ts';
import type { AnswerService } from './answer-service.ts';

interface FreezingStores extends SharedStores {
  shares: Pick<ShareStore, 'freeze' | 'listUnfrozen'>;
  answers: Pick<AnswerService, 'get'>;
}

const deflateInPool = promisify(deflate);

/**
 * Freezes the content of a link. If it has to be settled, a link whose subject changes meanwhile stays as it is: the
 * next visit freezes it.
 */
export async function freezeShare(
  stores: FreezingStores,
  { token, subject }: { token: string; subject: ShareSubject },
  mustBeSettled: boolean,
): Promise<void> {
  const experimentIds = experimentsOfShare(stores, subject);
  const { revision } = stores.experiments.revisionOf(experimentIds);
  if (mustBeSettled && !stateOfShare(stores, subject).settled) return;
  const asked = { experimentIds, signal: new AbortController().signal };
  const { bytes } = await stores.answers.get('shareContent', { subject }, asked);
  const packed = await deflateInPool(bytes);
  if (mustBeSettled && stores.experiments.revisionOf(experimentIds).revision !== revision) return;
  stores.shares.freeze(token, packed);
}

/**
 * Freezes every link whose content has settled, so that what is retried or renamed later does not change it. A link
 * whose content cannot be made, because its subject was deleted or is damaged, stays as it is.
 */
export async function freezeSettledShares(
  stores: FreezingStores,
  onDamaged: (error: unknown) => void,
): Promise<void> {
  for (const link of stores.shares.listUnfrozen()) {
    try {
      await freezeShare(stores, link, true);
    } catch (error) {
      // A database that fails concerns every link; anything else concerns this one.
      if (error instanceof StorageError && error.code !== 'corrupt') throw error;
      if (!(error instanceof ProblemError)) onDamaged(error);
    }
  }
}
