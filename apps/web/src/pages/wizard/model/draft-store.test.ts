import { makeEmptyDraft } from '@mqttlab/shared/catalogue/tour';
import { isSameDraft } from '@mqttlab/shared/domain/plans/draft-tag';
import type { ExperimentDraft } from '@mqttlab/shared/domain/plans/experiment-draft';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { ApiError } from '@mqttlab/shared/messages/api-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DraftStore, type LocalCopy, makeLocalCopy } from './draft-store.ts';

const start = makeEmptyDraft('local', 1);

function makeDetail(draft: ExperimentDraft, updatedAt: number): ExperimentDetail {
  return {
    id: 1,
    name: draft.name,
    question: '',
    status: 'draft',
    tags: [],
    notes: '',
    testbedId: 'local',
    varied: [],
    createdAt: 0,
    updatedAt,
    startedAt: null,
    startedBy: null,
    finishedAt: null,
    progress: { trials: 0, done: 0, failed: 0, cancelled: 0, flagged: 0, retried: 0, running: 0 },
    timeLeftMs: null,
    headline: null,
    deletedAt: null,
    imported: null,
    draft,
    plan: null,
    runs: [],
    currentRunId: null,
    queuePosition: null,
  };
}

/** A server with one draft, and the storage of one browser. */
function makeWorld(local: LocalCopy | null = null) {
  const server = { draft: start, updatedAt: 1000, isGone: false, refusal: 0, saves: 0 };
  const browser: { copy: LocalCopy | null; previous: ExperimentDraft | null } = {
    copy: local,
    previous: null,
  };
  const answer = () => {
    if (server.isGone || server.refusal) {
      const problem = { type: '', title: '', detail: 'no', remedy: '', issues: [] };
      throw new ApiError({ ...problem, status: server.refusal });
    }
    return makeDetail(server.draft, server.updatedAt);
  };
  const store = new DraftStore(makeDetail(start, 1000), {
    load: async () => answer(),
    save: async (draft, base) => {
      answer();
      if (!isSameDraft(server.draft, base) && !isSameDraft(server.draft, draft)) {
        const problem = { type: '', title: '', detail: 'stale', remedy: '', issues: [] };
        throw new ApiError({ ...problem, status: 412 });
      }
      server.saves += 1;
      Object.assign(server, { draft, updatedAt: Date.now() });
      return answer();
    },
    previous: {
      read: () => browser.previous,
      write: (draft) => {
        browser.previous = draft;
      },
    },
    local: {
      read: () => browser.copy,
      write: (copy) => {
        browser.copy = copy;
      },
      clear: () => {
        browser.copy = null;
      },
    },
    now: () => Date.now(),
    onSaved: () => undefined,
  });
  return { server, browser, store };
}

const named = (name: string): ExperimentDraft => ({ ...start, name });

describe('DraftStore', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 50_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('saves once after a pause in typing and then forgets the local copy', async () => {
    const { store, server, browser } = makeWorld();
    store.start();
    for (const name of ['a', 'ab', 'abc']) {
      store.edit(named(name));
      await vi.advanceTimersByTimeAsync(300);
    }
    expect(server.saves).toBe(0);
    expect(browser.copy?.draft.name).toBe('abc');
    await vi.advanceTimersByTimeAsync(700);
    expect(server).toMatchObject({ saves: 1, draft: { name: 'abc' } });
    expect(store.getState().save.kind).toBe('saved');
    expect(browser.copy).toBeNull();
  });

  it('retries while the server is unreachable, without loss', async () => {
    const { store, server, browser } = makeWorld();
    store.start();
    server.isGone = true;
    store.edit(named('kept'));
    await vi.advanceTimersByTimeAsync(700);
    expect(store.getState().save).toMatchObject({ kind: 'failed', retryAtMs: 52_700 });
    expect(browser.copy?.draft.name).toBe('kept');
    await vi.advanceTimersByTimeAsync(5000);
    server.isGone = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server.draft.name).toBe('kept');
    expect(store.getState().save.kind).toBe('saved');
  });

  it('does not repeat a rejected save until the draft changes', async () => {
    const { store, server } = makeWorld();
    store.start();
    server.refusal = 422;
    store.edit(named('refused'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(store.getState().save).toMatchObject({ kind: 'failed', retryAtMs: null });
    server.refusal = 0;
    store.edit(named('fixed'));
    await vi.advanceTimersByTimeAsync(700);
    expect(server.draft.name).toBe('fixed');
  });

  it('resumes unsaved changes after a reload', async () => {
    const { store, server } = makeWorld({ draft: named('before reload'), base: start });
    store.start();
    expect(store.getState().draft.name).toBe('before reload');
    await vi.advanceTimersByTimeAsync(0);
    expect(server.draft.name).toBe('before reload');
  });

  it('adopts the version of another tab if there are no local changes', () => {
    const { store } = makeWorld();
    store.start();
    store.hear(makeDetail(named('from the other tab'), 2000));
    expect(store.getState()).toEqual({
      draft: named('from the other tab'),
      save: { kind: 'saved', atMs: 2000 },
    });
  });

  it('ignores a response that is older than its own save', async () => {
    const { store } = makeWorld();
    store.start();
    store.edit(named('new'));
    await vi.advanceTimersByTimeAsync(700);
    store.hear(makeDetail(start, 1000));
    expect(store.getState().draft.name).toBe('new');
  });

  it.each([
    ['mine', 'mine'],
    ['theirs', 'theirs'],
  ] as const)('never overwrites another tab unseen; choosing %s keeps %s', async (choice, kept) => {
    const { store, server, browser } = makeWorld();
    store.start();
    Object.assign(server, { draft: named('theirs'), updatedAt: 50_100 });
    store.edit(named('mine'));
    await vi.advanceTimersByTimeAsync(700);
    expect(store.getState().save.kind).toBe('conflict');
    expect(server.draft.name).toBe('theirs');
    store.resolve(choice);
    await vi.advanceTimersByTimeAsync(700);
    expect(server.draft.name).toBe(kept);
    expect(store.getState()).toMatchObject({ draft: { name: kept }, save: { kind: 'saved' } });
    expect(browser.copy).toBeNull();
  });

  it('saves changes made during a save', async () => {
    const { store, server } = makeWorld();
    store.start();
    store.edit(named('one'));
    const saved = store.flush();
    store.edit(named('two'));
    await expect(saved).resolves.toBe(true);
    expect(server).toMatchObject({ saves: 2, draft: { name: 'two' } });
  });

  it('saves pending changes when it stops, and nothing afterwards', async () => {
    const { store, server } = makeWorld();
    store.start();
    store.edit(named('last'));
    store.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(server).toMatchObject({ saves: 1, draft: { name: 'last' } });
  });

  it('undoes the last change, also after a reload', () => {
    const { store, browser } = makeWorld();
    store.start();
    store.edit(named('good'));
    store.edit(named('bad'));
    expect(browser.previous?.name).toBe('good');
    store.undo();
    expect(store.getState().draft.name).toBe('good');
  });
});

describe('the copies of unsaved changes in one browser', () => {
  /** Storage shared by two tabs, or of a single tab. */
  function makeStorage(): Storage {
    const items = new Map<string, string>();
    return {
      get length() {
        return items.size;
      },
      key: (index) => [...items.keys()][index] ?? null,
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => void items.set(key, value),
      removeItem: (key) => void items.delete(key),
      clear: () => items.clear(),
    };
  }

  it('are separate for each tab', () => {
    const local = makeStorage();
    const [one, two] = [makeStorage(), makeStorage()].map((session) => makeLocalCopy(1, { local, session }));
    const copyOf = (name: string) => ({ draft: named(name), base: start });
    one?.write(copyOf('one'));
    two?.write(copyOf('two'));
    expect(one?.read()?.draft.name).toBe('one');
    two?.clear();
    expect(one?.read()?.draft.name).toBe('one');
  });

  it('are adopted from a closed tab, and belong to one draft', () => {
    const local = makeStorage();
    makeLocalCopy(1, { local, session: makeStorage() }).write({ draft: named('left'), base: start });
    expect(makeLocalCopy(12, { local, session: makeStorage() }).read()).toBeNull();
    const next = makeLocalCopy(1, { local, session: makeStorage() });
    expect(next.read()?.draft.name).toBe('left');
    next.clear();
    expect(local.length).toBe(0);
  });
});
