import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import { ProblemError } from '../base/errors.ts';
import type { Bus } from '../live/live.ts';
import type { ExperimentStore } from '../store/experiments/experiment-store.ts';
import type { ShareStore, ShareSubject } from '../store/settings/share-store.ts';
import { StorageError } from '../store/storage-error.ts';
import type { AnswerService } from './answer-service.ts';
import { experimentsOfShare, type SharedStores, stateOfShare } from './share-content.ts';

interface FreezingStores extends SharedStores {
  shares: Pick<ShareStore, 'saveFrozenShare' | 'listUnfrozenShares'>;
  answers: Pick<AnswerService, 'getAnswer'>;
}

const deflateInPool = promisify(deflate);

/**
 * Freezes the content of a link. If its subject must be final and changes in the meantime, the link stays
 * unfrozen; the next visit freezes it.
 */
export async function freezeShare(
  stores: FreezingStores,
  { token, subject }: { token: string; subject: ShareSubject },
  mustBeSettled: boolean,
): Promise<void> {
  const experimentIds = experimentsOfShare(stores, subject);
  const { revision } = stores.experiments.findRevision(experimentIds);
  if (mustBeSettled && !stateOfShare(stores, subject).settled) return;
  const asked = { experimentIds, signal: new AbortController().signal };
  const { bytes } = await stores.answers.getAnswer('shareContent', { subject }, asked);
  const packed = await deflateInPool(bytes);
  if (mustBeSettled && stores.experiments.findRevision(experimentIds).revision !== revision) return;
  stores.shares.saveFrozenShare(token, packed);
}

/**
 * Freezes every link with final content, so that later retries or renames do not change the content. A link
 * stays unfrozen if its content cannot be created because its subject was deleted or is damaged.
 */
export async function freezeSettledShares(
  stores: FreezingStores,
  onDamaged: (error: unknown) => void,
): Promise<void> {
  for (const link of stores.shares.listUnfrozenShares()) {
    try {
      await freezeShare(stores, link, true);
    } catch (error) {
      // A database error affects every link; any other error only affects this link.
      if (error instanceof StorageError && error.code !== 'corrupt') throw error;
      if (!(error instanceof ProblemError)) onDamaged(error);
    }
  }
}

interface PreparingOptions {
  experiments: Pick<ExperimentStore, 'listActiveExperiments'>;
  answers: Pick<AnswerService, 'prepareAnswers'>;
  subscribe: Bus['subscribe'];
  onError: (error: unknown, experimentId: number) => void;
}

/**
 * Computes the answers that the pages of each finished experiment request first. Measurements have priority:
 * the computation ends as soon as an experiment is queued, and restarts when no experiment is active.
 */
export function startPreparing({ experiments, answers, subscribe, onError }: PreparingOptions) {
  const due = new Set<number>();
  let current: AbortController | null = null;
  let isStopped = false;

  /**
   * Returns true while an experiment is active, also if the database cannot be read: an exception here would
   * stop the server.
   */
  const isMeasuring = (id: number): boolean => {
    try {
      return experiments.listActiveExperiments().length > 0;
    } catch (error) {
      onError(error, id);
      return true;
    }
  };
  const next = (): void => {
    const [id] = due;
    if (isStopped || current || id === undefined || isMeasuring(id)) return;
    const stop = new AbortController();
    current = stop;
    answers
      .prepareAnswers(id, stop.signal)
      .then(
        () => due.delete(id),
        (error: unknown) => {
          if (stop.signal.aborted) return;
          due.delete(id);
          onError(error, id);
        },
      )
      .finally(() => {
        current = null;
        next();
      });
  };
  const unsubscribe = subscribe(({ event, data }) => {
    if (event !== 'experiment' || data.status === 'draft') return;
    if (!isFinished(data.status)) {
      current?.abort(new Error('An experiment has started.'));
      return;
    }
    due.add(data.id);
    // Runs after the event, because the sender of the event has not returned yet.
    setImmediate(next);
  });
  return {
    stop(): void {
      isStopped = true;
      unsubscribe();
      current?.abort(new Error('The server is stopping.'));
    },
  };
}
