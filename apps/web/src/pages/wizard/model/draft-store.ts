import { isSameDraft } from '@mqttlab/shared/domain/plans/draft-tag';
import { type ExperimentDraft, experimentDraftSchema } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { Problem } from '@mqttlab/shared/messages/http';
import * as z from 'zod';
import { problemOf } from '../../../api/show-problem.tsx';

export type SaveState =
  | { kind: 'saved'; atMs: number }
  /** The draft has changed and is saved after a pause in typing. */
  | { kind: 'pending' }
  | { kind: 'saving' }
  /**
   * The draft is stored in this browser only. `retryAtMs` is null if a retry cannot succeed without a change.
   */
  | { kind: 'failed'; problem: Pick<Problem, 'detail' | 'remedy' | 'status'>; retryAtMs: number | null }
  /** Another version was saved in the meantime. Nothing is saved until the user chooses a version. */
  | { kind: 'conflict'; theirs: ExperimentDetail };

export interface DraftState {
  draft: ExperimentDraft;
  save: SaveState;
}

/** Changes that are stored in the browser until the server has saved them. */
export interface LocalCopy {
  draft: ExperimentDraft;
  /** The server version that the changes are based on. */
  base: ExperimentDraft;
}

interface DraftStoreOptions {
  load: () => Promise<ExperimentDetail>;
  /** Saves the draft. Rejects with a 412 problem if the server's version is not `base`. */
  save: (draft: ExperimentDraft, base: ExperimentDraft) => Promise<ExperimentDetail>;
  local: { read: () => LocalCopy | null; write: (copy: LocalCopy) => void; clear: () => void };
  now: () => number;
  onSaved: (saved: ExperimentDetail) => void;
  /** The draft before the last change, while the tab is open. */
  previous: { read: () => ExperimentDraft | null; write: (draft: ExperimentDraft) => void };
}

/** Pause in typing before a draft is saved, and delays between retries, in ms. */
const pauseMs = 700;
const retryMs = [2000, 4000, 8000, 15_000, 30_000];

function isUnsaved(save: SaveState): boolean {
  return save.kind === 'pending' || save.kind === 'failed';
}

/**
 * Stores the draft that is being edited and saves it automatically. Stores every change in the browser first,
 * so that it survives a reload or an unreachable server. The server accepts a save only if the changes are
 * based on its current version, so that no work is overwritten unnoticed.
 */
export class DraftStore {
  private readonly options: DraftStoreOptions;
  private readonly listeners = new Set<() => void>();
  private base: ExperimentDraft;
  /** When the server saved the base version; used to ignore responses that arrive out of order. */
  private baseAtMs: number;
  private state: DraftState;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private running: Promise<void> | null = null;
  private failures = 0;
  private isStopped = false;

  constructor(experiment: ExperimentDetail, options: DraftStoreOptions) {
    this.options = options;
    this.base = experiment.draft;
    this.baseAtMs = experiment.updatedAt;
    this.state = { draft: experiment.draft, save: { kind: 'saved', atMs: experiment.updatedAt } };
  }

  /** Resumes unsaved changes from an earlier visit. */
  start(): void {
    this.isStopped = false;
    const copy = this.options.local.read();
    if (!copy) return;
    const server = this.base;
    if (isSameDraft(copy.draft, server)) {
      this.options.local.clear();
      return;
    }
    this.base = copy.base;
    this.set({ draft: copy.draft, save: { kind: 'pending' } });
    this.schedule(0);
  }

  /** Saves pending changes without waiting. */
  stop(): void {
    if (this.state.save.kind === 'pending') void this.flush();
    this.isStopped = true;
    this.clearTimer();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getState = (): DraftState => this.state;

  /** When the known server version was saved, in Unix ms. */
  get knownAtMs(): number {
    return this.baseAtMs;
  }

  /** The draft before the last change; null if no change was made in this tab. */
  get previous(): ExperimentDraft | null {
    return this.options.previous.read();
  }

  /** Undoes the last change. */
  undo(): void {
    if (this.previous) this.edit(this.previous);
  }

  edit(draft: ExperimentDraft): void {
    this.options.previous.write(this.state.draft);
    const isConflict = this.state.save.kind === 'conflict';
    this.options.local.write({ draft, base: this.base });
    this.set({ draft, save: isConflict ? this.state.save : { kind: 'pending' } });
    if (!isConflict) this.schedule(pauseMs);
  }

  /** Saves now. Resolves to true if the server has all changes. */
  async flush(): Promise<boolean> {
    this.clearTimer();
    do {
      if (!this.running && isUnsaved(this.state.save)) {
        this.running = this.saveOnce().finally(() => {
          this.running = null;
        });
      }
      await this.running;
    } while (this.state.save.kind === 'pending');
    this.clearTimer();
    if (this.state.save.kind === 'failed' && this.state.save.retryAtMs !== null) {
      this.schedule(this.state.save.retryAtMs - this.options.now());
    }
    return this.state.save.kind === 'saved';
  }

  /** Handles a new server version. Adopts it if there are no local changes; otherwise reports a conflict. */
  hear(experiment: ExperimentDetail): void {
    if (this.running || this.state.save.kind === 'conflict') return;
    if (experiment.updatedAt < this.baseAtMs) return;
    if (isSameDraft(experiment.draft, this.base)) {
      this.baseAtMs = experiment.updatedAt;
      return;
    }
    if (this.state.save.kind === 'saved') {
      this.setBase(experiment);
      this.set({ draft: experiment.draft, save: { kind: 'saved', atMs: experiment.updatedAt } });
    } else {
      this.clearTimer();
      this.set({ ...this.state, save: { kind: 'conflict', theirs: experiment } });
    }
  }

  /** Resolves a conflict. `mine` overwrites the other version, `theirs` discards local changes. */
  resolve(choice: 'mine' | 'theirs'): void {
    const { save, draft } = this.state;
    if (save.kind !== 'conflict') return;
    this.setBase(save.theirs);
    if (choice === 'mine') {
      this.set({ draft, save: { kind: 'pending' } });
      this.edit(draft);
      this.schedule(0);
    } else {
      this.options.local.clear();
      this.set({ draft: save.theirs.draft, save: { kind: 'saved', atMs: save.theirs.updatedAt } });
    }
  }

  private async saveOnce(): Promise<void> {
    const { draft } = this.state;
    this.set({ draft, save: { kind: 'saving' } });
    try {
      this.settle(draft, await this.options.save(draft, this.base));
    } catch (error) {
      if (problemOf(error).status === 412) await this.showConflict();
      else this.fail(error);
    }
  }

  private async showConflict(): Promise<void> {
    try {
      this.set({ ...this.state, save: { kind: 'conflict', theirs: await this.options.load() } });
    } catch (error) {
      this.fail(error);
    }
  }

  private settle(sent: ExperimentDraft, saved: ExperimentDetail): void {
    this.failures = 0;
    this.setBase(saved);
    this.options.onSaved(saved);
    if (this.state.draft === sent) {
      this.options.local.clear();
      this.set({ draft: sent, save: { kind: 'saved', atMs: this.options.now() } });
    } else {
      this.options.local.write({ draft: this.state.draft, base: this.base });
      this.set({ ...this.state, save: { kind: 'pending' } });
      this.schedule(pauseMs);
    }
  }

  /** Retries automatically if the server is unreachable or busy. A rejection waits for the next change. */
  private fail(error: unknown): void {
    const { detail, remedy, status } = problemOf(error);
    const isPassing = status === 0 || status >= 500 || status === 429;
    const waitMs = retryMs[Math.min(this.failures, retryMs.length - 1)] ?? pauseMs;
    this.failures += 1;
    const retryAtMs = isPassing ? this.options.now() + waitMs : null;
    this.set({ ...this.state, save: { kind: 'failed', problem: { detail, remedy, status }, retryAtMs } });
  }

  private setBase(experiment: ExperimentDetail): void {
    this.base = experiment.draft;
    this.baseAtMs = experiment.updatedAt;
  }

  private schedule(waitMs: number): void {
    this.clearTimer();
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.flush(), Math.max(0, waitMs));
  }

  private clearTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private set(state: DraftState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

const localCopySchema = z.object({ draft: experimentDraftSchema, base: experimentDraftSchema });

/** Reads a stored value; null if the schema rejects it. */
function readItem<T>(storage: Storage, key: string, schema: z.ZodType<T>): T | null {
  try {
    const parsed = schema.safeParse(JSON.parse(storage.getItem(key) ?? 'null'));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Writes a value. Ignores errors if the storage is full or disabled. */
function writeItem(storage: Storage, key: string, value: unknown): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    storage.removeItem(key);
  }
}

/** Returns the id of this tab, which survives a reload. */
function tabIdOf(session: Storage): string {
  const key = 'mqttlab-tab';
  const id = session.getItem(key) ?? crypto.randomUUID();
  session.setItem(key, id);
  return id;
}

/**
 * Stores unsaved changes in this browser, under a separate key for each tab. Two tabs with one draft must not
 * overwrite or clear each other's changes. The next tab that opens the draft adopts a copy left by a closed
 * tab.
 */
export function makeLocalCopy(
  experimentId: number,
  { local, session }: { local: Storage; session: Storage },
): DraftStoreOptions['local'] {
  const prefix = `mqttlab-draft-${experimentId}-`;
  const own = `${prefix}${tabIdOf(session)}`;
  return {
    read: () => {
      const keys = Array.from({ length: local.length }, (_, index) => local.key(index) ?? '');
      const left = keys.find((key) => key.startsWith(prefix) && key !== own);
      const copy = readItem(local, own, localCopySchema);
      if (copy || left === undefined) return copy;
      const found = readItem(local, left, localCopySchema);
      local.removeItem(left);
      if (found) writeItem(local, own, found);
      return found;
    },
    write: (copy) => writeItem(local, own, copy),
    clear: () => local.removeItem(own),
  };
}

/** Stores the draft before the last change, for this tab. */
export function makePreviousDraft(experimentId: number, session: Storage): DraftStoreOptions['previous'] {
  const key = `mqttlab-draft-before-${experimentId}`;
  return {
    read: () => readItem(session, key, experimentDraftSchema),
    write: (draft) => writeItem(session, key, draft),
  };
}
