import { EncodedJson } from '../base/encoded-json.ts';
import type { Database } from '../store/database.ts';
import { makeAnswerStore } from '../store/experiments/answer-store.ts';
import { StorageError } from '../store/storage-error.ts';
import { AnswerQueue, programOf, type Question, startProcess, startThread } from './answer-queue.ts';
import {
  type AnswerInput,
  type AnswerKind,
  type AnswerStores,
  computeAnswer,
  isLong,
  keyOf,
  storedKinds,
} from './answer-work.ts';

/** Memory for cached answers, in bytes. */
const defaultCapacity = 64 * 1024 * 1024;
/** Maximum number of short questions in the queue, some seconds of work. */
const defaultMaxWaiting = 1024;
/** Maximum number of queued questions that take seconds each. */
const maxWaitingLong = 64;
/** Heap of a worker. */
const defaultMemoryMb = 1024;
/**
 * Idle time of the report process in ms, long enough to keep its compiled code between the reports of a
 * study.
 */
const defaultIdleMs = 10_000;

interface AnswerProgress {
  state: 'idle' | 'working' | 'ready';
  /** Number of completed parts; 0 of 0 until the total is known. */
  done: number;
  all: number;
}

interface Cached {
  /** State of the experiments that the answer depends on. */
  revision: string;
  answer: Promise<EncodedJson>;
  progress: AnswerProgress;
  /** Number of callers that are waiting for the answer. */
  readers: number;
  /** Aborted when no caller is waiting; work that has not started is dropped. */
  stop: AbortController;
  /** Aborted to end running work. */
  interrupt: AbortController;
  /** The answer; null until it is complete. */
  ready: EncodedJson | null;
}

export interface AnswerServiceOptions {
  database: Database;
  stores: AnswerStores;
  /** Name and version of the software in reports. */
  software: string;
  /** Maximum size of the answers in memory, in bytes. */
  capacity?: number;
  /** Maximum number of waiting questions; further questions are refused. */
  maxWaiting?: number;
  /** Heap size of each worker. */
  memoryMb?: number;
  /** Idle time after which the report process ends, in ms. */
  idleMs?: number;
}

interface Asked {
  /** The experiments that the answer depends on; the answer depends on no other changing data. */
  experimentIds: readonly number[];
  signal: AbortSignal;
  /** Also cancels running work if `signal` aborts and no other caller is waiting for it. */
  interrupts?: boolean;
}

export type AnswerService = ReturnType<typeof makeAnswerService>;

/**
 * Computes answers in a thread, because they would block the event loop, and caches them until the
 * experiments that they depend on change. Reports are computed in a process, so that short answers do not
 * wait for them and their memory is freed. Slow answers about finished experiments are also stored, so that a
 * restart does not repeat them. A database in memory can only be read by its own thread, so its answers are
 * computed in place.
 */
export function makeAnswerService({
  database,
  stores,
  software,
  capacity = defaultCapacity,
  maxWaiting = defaultMaxWaiting,
  memoryMb = defaultMemoryMb,
  idleMs = defaultIdleMs,
}: AnswerServiceOptions) {
  const { path } = database;
  const data = path === null ? null : { databasePath: path, software };
  const queues = data && {
    short: new AnswerQueue(startThread, data, { maxWaiting, memoryMb, idleMs: null }),
    long: new AnswerQueue(startProcess, data, { maxWaiting: maxWaitingLong, memoryMb, idleMs }),
  };
  const stored = makeAnswerStore(database, programOf(software));
  const cache = new Map<string, Cached>();
  const unsaved = new Set<Promise<void>>();
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
  /** A failure to store an answer does not affect the answer. */
  const ifPossible = <T>(work: () => T): T | null => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      return null;
    }
  };

  const compute = async (
    question: Question,
    { stop, interrupt, progress }: Pick<Cached, 'stop' | 'interrupt' | 'progress'>,
  ): Promise<EncodedJson> => {
    computed += 1;
    const onProgress = (done: number, all: number): void => void Object.assign(progress, { done, all });
    const queue = queues?.[isLong(question) ? 'long' : 'short'];
    return new EncodedJson(
      queue
        ? await queue.ask(question, { signal: stop.signal, interrupt: interrupt.signal, onProgress })
        : await computeAnswer({ stores, stored, software, onProgress }, question),
    );
  };
  /** Reads the answer from the database if it is stored. */
  const begin = (question: Question, experimentIds: readonly number[]): Cached => {
    const key = keyOf(question.kind, question.input);
    const { revision, isFinished } = stores.experiments.findRevision(experimentIds);
    const isStored = isFinished && storedKinds.has(question.kind);
    const packed = isStored ? ifPossible(() => stored.findAnswer({ key, revision })) : null;
    const [stop, interrupt] = [new AbortController(), new AbortController()];
    const progress: AnswerProgress = { state: 'working', done: 0, all: 0 };
    let isComputed = false;
    const make = (): Promise<EncodedJson> => {
      isComputed = true;
      return compute(question, { stop, interrupt, progress });
    };
    // If the stored answer is damaged, it is recomputed.
    const answer = packed ? EncodedJson.unpack(packed).catch(make) : make();
    const entry: Cached = { revision, answer, progress, readers: 0, stop, interrupt, ready: null };
    const keep = async (json: EncodedJson): Promise<void> => {
      entry.ready = json;
      progress.state = 'ready';
      trim();
      if (!isStored || !isComputed) return;
      const made = await json.in('br');
      // The experiments have already changed, so no trigger would ever delete this answer.
      if (stores.experiments.findRevision(experimentIds).revision !== revision) return;
      ifPossible(() => stored.saveAnswer({ key, revision, packed: made }, experimentIds));
    };
    const keeping = answer
      .then(keep)
      .catch(() => drop(key, entry))
      .finally(() => unsaved.delete(keeping));
    unsaved.add(keeping);
    return entry;
  };

  async function get<Kind extends AnswerKind>(
    kind: Kind,
    input: AnswerInput<Kind>,
    { experimentIds, signal, interrupts = false }: Asked,
  ): Promise<EncodedJson> {
    signal.throwIfAborted();
    const key = keyOf(kind, input);
    const known = cache.get(key);
    const { revision } = stores.experiments.findRevision(experimentIds);
    const entry = known?.revision === revision ? known : begin({ kind, input }, experimentIds);
    // The most recently used answer is removed last.
    cache.delete(key);
    cache.set(key, entry);
    entry.readers += 1;
    const leave = (): void => {
      entry.readers -= 1;
      if (entry.readers > 0) return;
      // Running work is completed and its answer cached, unless it must be interrupted.
      entry.stop.abort(signal.reason);
      if (interrupts) entry.interrupt.abort(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await entry.answer;
    } finally {
      signal.removeEventListener('abort', leave);
      if (!signal.aborted) entry.readers -= 1;
    }
  }

  return {
    /** Removes the answers of other versions of the program. */
    start: (): void => void ifPossible(() => stored.removeOutdatedAnswers()),
    /**
     * Resolves with an answer that depends on these experiments. Rejects with a problem, or with the reason
     * of `signal`. Work without a waiting caller is not started.
     */
    getAnswer: get,
    /**
     * Computes the answers that pages of a finished experiment request first; `signal` ends this immediately.
     */
    async prepareAnswers(experimentId: number, signal: AbortSignal): Promise<void> {
      const asked = { experimentIds: [experimentId], signal, interrupts: true };
      await get('comparison', { experiments: String(experimentId) }, asked);
      await get('report', { experimentId, takesFlagged: false }, asked);
    },
    /** Returns the progress of computing an answer. */
    findAnswerProgress<Kind extends AnswerKind>(
      kind: Kind,
      input: AnswerInput<Kind>,
      experimentIds: readonly number[],
    ): AnswerProgress {
      const entry = cache.get(keyOf(kind, input));
      const isCurrent = entry?.revision === stores.experiments.findRevision(experimentIds).revision;
      return entry && isCurrent ? { ...entry.progress } : { state: 'idle', done: 0, all: 0 };
    },
    /**
     * Returns the number of computed answers, the number of running workers, and the size of cached answers
     * in bytes.
     */
    countAnswers: () => ({
      computed,
      workers: Object.values(queues ?? {}).filter(({ isRunning }) => isRunning).length,
      cached: cache.size,
      bytes: [...cache.values()].reduce((sum, { ready }) => sum + (ready?.size ?? 0), 0),
    }),
    /** Resolves when every question has been answered and its answer stored. */
    idle: async (): Promise<void> => void (await Promise.all(unsaved)),
    stop: async (): Promise<void> => {
      await Promise.all([queues?.short.stop(), queues?.long.stop()]);
      await Promise.all(unsaved);
      cache.clear();
    },
  };
}
