import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { Bus } from '../../live/bus.ts';
import type { ExperimentStore } from '../../store/experiments/experiment-store.ts';
import type { AnswerService } from './answer-service.ts';

interface PreparingOptions {
  experiments: Pick<ExperimentStore, 'listActive'>;
  answers: Pick<AnswerService, 'prepare'>;
  subscribe: Bus['subscribe'];
  onError: (error: unknown, experimentId: number) => void;
}

/**
 * Computes what the pages of each finished experiment request first. Measurements have priority: the computation ends as
 * soon as an experiment is queued, and starts again when none is active.
 */
export function startPreparing({ experiments, answers, subscribe, onError }: PreparingOptions) {
  const due = new Set<number>();
  let current: AbortController | null = null;
  let isStopped = false;

  const next = (): void => {
    const [id] = due;
    if (isStopped || current || id === undefined || experiments.listActive().length > 0) return;
    const stop = new AbortController();
    current = stop;
    answers
      .prepare(id, stop.signal)
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
    // Not inside the event: its sender has not returned yet.
    setImmediate(next);
  });
  return {
    stop(): void {
      isStopped = true;
      unsubscribe();
      current?.abort(new Error('The server stops.'));
    },
  };
}
