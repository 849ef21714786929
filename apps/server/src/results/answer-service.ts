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

/** Memory of cached answers, bytes. */
const defaultCapacity = 64 * 1024 * 1024;
/** Short questions that may wait, some seconds of work. */
const defaultMaxWaiting = 1024;
/** The same of questions that take seconds each. */
const maxWaitingLong = 64;
/** Heap of a worker. */
const defaultMemoryMb = 1024;
/** The process for reports stays between the reports of a study, with its compiled code. */
const defaultIdleMs = 10_000;

interface AnswerProgress {
  state: 'idle' | 'working' | 'ready';
  /** Completed parts of all; 0 of 0 until the number is known. */
  done: number;
  all: number;
}

interface Cached {
  /** Of the experiments it depends on. */
  revision: string;
  answer: Promise<EncodedJson>;
  progress: AnswerProgress;
  /** How many callers wait for it. */
  readers: number;
  /** Aborted when no caller waits: work that has not begun is dropped. */
  stop: AbortController;
  /** Aborted to end work that has begun. */
  interrupt: AbortController;
  /** null until it is there. */
  ready: EncodedJson | null;
}

export interface AnswerServiceOptions {
  database: Database;
  stores: AnswerStores;
  /** Name and version that reports show. */
  software: string;
  /** Bytes of answers that stay in memory. */
  capacity?: number;
  /** Questions that may wait; more are refused. */
  maxWaiting?: number;
  /** Heap of each worker. */
  memoryMb?: number;
  /** The process for reports ends after this time without a question. */
  idleMs?: number;
}

interface Asked {
  /** The answer depends on these and on nothing else that changes. */
  experimentIds: readonly number[];
  signal: AbortSignal;
  /** Ends work that has begun, too, when `signal` aborts and no other caller waits. */
  interrupts?: boolean;
}

export type AnswerService = ReturnType<typeof makeAnswerService>;

/**
 * Answers that take longer than the event loop may be held: computed in a thread, and cached until something changes in
 * the experiments they depend on. Reports are computed in a process, so that short answers do not wait for them and
 * their memory is freed. Answers about finished experiments that took long are stored too, so that a restart does not
 * repeat them. A database in memory can only be read by its own thread: there they are computed in place.
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
  /** Answers do not depend on whether they can be stored. */
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
  /** Reads the answer from the database if it is there. */
  const begin = (question: Question, experimentIds: readonly number[]): Cached => {
    const key = keyOf(question.kind, question.input);
    const { revision, isFinished } = stores.experiments.revisionOf(experimentIds);
    const isStored = isFinished && storedKinds.has(question.kind);
    const packed = isStored ? ifPossible(() => stored.find({ key, revision })) : null;
    const [stop, interrupt] = [new AbortController(), new AbortController()];
    const progress: AnswerProgress = { state: 'working', done: 0, all: 0 };
    let isComputed = false;
    const make = (): Promise<EncodedJson> => {
      isComputed = true;
      return compute(question, { stop, interrupt, progress });
    };
    // A damaged one is computed again.
    const answer = packed ? EncodedJson.unpack(packed).catch(make) : make();
    const entry: Cached = { revision, answer, progress, readers: 0, stop, interrupt, ready: null };
    const keep = async (json: EncodedJson): Promise<void> => {
      entry.ready = json;
      progress.state = 'ready';
      trim();
      if (!isStored || !isComputed) return;
      const made = await json.in('br');
      // Triggers delete answers when an experiment changes: this one would never be.
      if (stores.experiments.revisionOf(experimentIds).revision !== revision) return;
      ifPossible(() => stored.save({ key, revision, packed: made }, experimentIds));
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
    const { revision } = stores.experiments.revisionOf(experimentIds);
    const entry = known?.revision === revision ? known : begin({ kind, input }, experimentIds);
    // Last used, last removed.
    cache.delete(key);
    cache.set(key, entry);
    entry.readers += 1;
    const leave = (): void => {
      entry.readers -= 1;
      if (entry.readers > 0) return;
      // Work that has begun is finished unless it is in the way: its answer is cached.
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
    /** Removes what another version of the program stored. */
    start: (): void => void ifPossible(() => stored.removeOthers()),
    /**
     * An answer that depends on these experiments. Rejects with a problem, or with the reason of `signal`; work that
     * no caller waits for is not started.
     */
    get,
    /** Computes the answers that pages of a finished experiment ask for first; `signal` ends that at once. */
    async prepare(experimentId: number, signal: AbortSignal): Promise<void> {
      const asked = { experimentIds: [experimentId], signal, interrupts: true };
      await get('comparison', { experiments: String(experimentId) }, asked);
      await get('report', { experimentId, takesFlagged: false }, asked);
    },
    /** How far the computation of an answer is. */
    progress<Kind extends AnswerKind>(
      kind: Kind,
      input: AnswerInput<Kind>,
      experimentIds: readonly number[],
    ): AnswerProgress {
      const entry = cache.get(keyOf(kind, input));
      const isCurrent = entry?.revision === stores.experiments.revisionOf(experimentIds).revision;
      return entry && isCurrent ? { ...entry.progress } : { state: 'idle', done: 0, all: 0 };
    },
    /** Answers that were computed so far, workers that run, and the memory of cached answers, bytes. */
    counts: () => ({
      computed,
      workers: Object.values(queues ?? {}).filter(({ isRunning }) => isRunning).length,
      cached: cache.size,
      bytes: [...cache.values()].reduce((sum, { ready }) => sum + (ready?.size ?? 0), 0),
    }),
    /** Resolves when everything that was asked is answered and stored. */
    idle: async (): Promise<void> => void (await Promise.all(unsaved)),
    stop: async (): Promise<void> => {
      await Promise.all([queues?.short.stop(), queues?.long.stop()]);
      await Promise.all(unsaved);
      cache.clear();
    },
  };
}
