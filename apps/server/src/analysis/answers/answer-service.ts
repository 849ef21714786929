import { EncodedJson } from '../../base/encoded-json.ts';
import type { Database } from '../../store/database.ts';
import type { AnalysisStores } from '../select-runs.ts';
import { AnswerThread } from './answer-thread.ts';
import { type AnswerInput, type AnswerKind, computeAnswer } from './answer-work.ts';

/** Memory of cached answers, bytes. */
const defaultCapacity = 64 * 1024 * 1024;

interface Cached {
  /** Of the experiments it depends on. */
  revision: string;
  answer: Promise<EncodedJson>;
  /** How many callers wait for it. */
  readers: number;
  stop: AbortController;
  /** null until it is there. */
  ready: EncodedJson | null;
}

export interface AnswerServiceOptions {
  database: Pick<Database, 'path'>;
  stores: AnalysisStores;
  /** Bytes of answers that stay in memory. */
  capacity?: number;
}

export type AnswerService = ReturnType<typeof makeAnswerService>;

/**
 * Answers that take longer than the event loop may be held: computed in a thread, and cached until something changes in
 * the experiments they depend on. A database in memory can only be read by its own thread: there they are computed in
 * place.
 */
export function makeAnswerService({ database, stores, capacity = defaultCapacity }: AnswerServiceOptions) {
  const thread = database.path === null ? null : new AnswerThread(database.path);
  const cache = new Map<string, Cached>();
  let computed = 0;

  const drop = (key: string, entry: Cached): void => {
    if (cache.get(key) === entry) cache.delete(key);
  };
  const trim = (): void => {
    let size = 0;
    for (const [key, { ready }] of [...cache].reverse()) {
      size += ready?.size ?? 0;
      if (size > capacity && ready !== null) cache.delete(key);
    }
  };
  const begin = (kind: AnswerKind, input: unknown, revision: string): Cached => {
    const stop = new AbortController();
    computed += 1;
    const bytes = thread ? thread.ask(kind, input, stop.signal) : computeAnswer(stores, { kind, input });
    const answer = bytes.then((json) => new EncodedJson(json));
    return { revision, answer, readers: 0, stop, ready: null };
  };

  return {
    /**
     * An answer that depends on these experiments. Rejects with a problem, or with the reason of `signal`; work that
     * nobody waits for any more is not begun.
     */
    async get<Kind extends AnswerKind>(
      kind: Kind,
      input: AnswerInput<Kind>,
      { experimentIds, signal }: { experimentIds: readonly number[]; signal: AbortSignal },
    ): Promise<EncodedJson> {
      signal.throwIfAborted();
      const key = `${kind} ${JSON.stringify(input)}`;
      const revision = stores.experiments.revisionOf(experimentIds);
      const known = cache.get(key);
      const entry = known?.revision === revision ? known : begin(kind, input, revision);
      // Last used, last removed.
      cache.delete(key);
      cache.set(key, entry);
      if (entry !== known) {
        entry.answer.then(
          (json) => {
            entry.ready = json;
            trim();
          },
          () => drop(key, entry),
        );
      }
      entry.readers += 1;
      const leave = (): void => {
        entry.readers -= 1;
        // Work that has begun is finished: its answer is cached.
        if (entry.readers === 0) entry.stop.abort(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      try {
        return await entry.answer;
      } finally {
        signal.removeEventListener('abort', leave);
        if (!signal.aborted) entry.readers -= 1;
      }
    },
    /** Answers that were computed so far, and the memory of those that are cached, bytes. */
    counts: () => ({
      computed,
      cached: cache.size,
      bytes: [...cache.values()].reduce((sum, { ready }) => sum + (ready?.size ?? 0), 0),
    }),
    stop: async (): Promise<void> => {
      cache.clear();
      await thread?.stop();
    },
  };
}
