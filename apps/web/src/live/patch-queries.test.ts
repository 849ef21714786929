import { makeEmptyDraft } from '@mqttlab/shared/catalogue/tour';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { ExperimentList, TestbedStatus } from '@mqttlab/shared/messages/http';
import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { keyOf } from '../api/client.ts';
import { patchQueries, refreshChanged, refreshOpened } from './patch-queries.ts';
import {
  makeEvent,
  makeExperimentSummary,
  makeRunSummary,
  makeSnapshotEvent,
} from './testing/live-factories.ts';

function makeDetail(part: Partial<ExperimentDetail> = {}): ExperimentDetail {
  return {
    ...makeExperimentSummary(),
    draft: makeEmptyDraft('built-in', 1),
    plan: null,
    runs: [makeRunSummary({ id: 2, status: 'done' })],
    currentRunId: null,
    queuePosition: null,
    ...part,
  };
}

function makeList(): ExperimentList {
  const items = [makeExperimentSummary({ id: 8 }), makeExperimentSummary()];
  const counts = { all: 2, active: 2, draft: 0, finished: 0 };
  return { items, total: 2, counts, tags: [], runs: 3, dataBytes: 0 };
}

const experimentKey = (id: number) => keyOf('GET /experiments/{id}', { params: { id } });

function setUp() {
  const client = new QueryClient();
  client.setQueryData(experimentKey(7), makeDetail());
  client.setQueryData(keyOf('GET /experiments', { query: { search: '' } }), makeList());
  client.setQueryData(keyOf('GET /compare', { query: { experiments: '7' } }), {});
  const stale = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated;
  const detail = () => client.getQueryData<ExperimentDetail>(experimentKey(7));
  return { client, stale, detail };
}

it('updates a run and makes it the current one until it finishes', () => {
  const { client, stale, detail } = setUp();
  patchQueries(client, makeEvent(1, { event: 'run', data: makeRunSummary() }));
  expect(detail()).toMatchObject({ currentRunId: 3, runs: [{ id: 2 }, { id: 3, status: 'running' }] });
  expect(stale(keyOf('GET /compare', { query: { experiments: '7' } }))).toBe(false);
  patchQueries(client, makeEvent(2, { event: 'run', data: makeRunSummary({ status: 'done' }) }));
  expect(detail()).toMatchObject({ currentRunId: null, runs: [{ id: 2 }, { id: 3, status: 'done' }] });
  expect(stale(keyOf('GET /compare', { query: { experiments: '7' } }))).toBe(true);
});

it('ignores a late result of an older run', () => {
  const { client, detail } = setUp();
  patchQueries(client, makeEvent(1, { event: 'run', data: makeRunSummary() }));
  patchQueries(client, makeEvent(2, { event: 'run', data: makeRunSummary({ id: 2, status: 'failed' }) }));
  expect(detail()).toMatchObject({ currentRunId: 3, runs: [{ id: 2, status: 'failed' }, { id: 3 }] });
});

it('patches progress in lists and refetches only if the status changed', () => {
  const { client, stale, detail } = setUp();
  const list = () =>
    client.getQueryData<ExperimentList>(keyOf('GET /experiments', { query: { search: '' } }));
  const progress = { ...makeExperimentSummary().progress, done: 5 };
  patchQueries(client, makeEvent(1, { event: 'experiment', data: makeExperimentSummary({ progress }) }));
  expect(list()?.items.map((item) => item.progress.done)).toEqual([2, 5]);
  expect(detail()?.progress.done).toBe(5);
  expect(stale(keyOf('GET /experiments', { query: { search: '' } }))).toBe(false);
  patchQueries(
    client,
    makeEvent(2, { event: 'experiment', data: makeExperimentSummary({ status: 'paused' }) }),
  );
  expect(list()?.items[1]?.status).toBe('paused');
  expect(stale(keyOf('GET /experiments', { query: { search: '' } }))).toBe(true);
  expect(stale(experimentKey(7))).toBe(true);
});

it('refetches lists that lack an experiment', () => {
  const { client, stale } = setUp();
  patchQueries(client, makeEvent(1, { event: 'experiment', data: makeExperimentSummary({ id: 99 }) }));
  expect(stale(keyOf('GET /experiments', { query: { search: '' } }))).toBe(true);
});

it('refetches everything after a snapshot', () => {
  const { client, stale } = setUp();
  patchQueries(client, makeSnapshotEvent());
  expect(stale(experimentKey(7))).toBe(true);
  expect(stale(keyOf('GET /compare', { query: { experiments: '7' } }))).toBe(true);
});

it.each([
  [['done', 'cancelled'], false],
  [['done', 'running'], true],
  [[], true],
])('asks once more after the page has opened, for a comparison of %j: %s', (statuses, isAsked) => {
  const { client, stale } = setUp();
  const key = keyOf('GET /compare', { query: { experiments: '7,8' } });
  client.setQueryData(key, { experiments: statuses.map((status) => ({ status })), treatments: [] });
  client.removeQueries({ queryKey: keyOf('GET /compare', { query: { experiments: '7' } }), exact: true });
  refreshOpened(client);
  expect([stale(experimentKey(7)), stale(key)]).toEqual([true, isAsked]);
});

it('refetches active experiments on the first snapshot, but not ended ones', () => {
  const { client, stale } = setUp();
  client.setQueryData(experimentKey(8), makeDetail({ id: 8, status: 'done' }));
  client.setQueryData(experimentKey(9), makeDetail({ id: 9, status: 'done' }));
  refreshChanged(client, { active: [makeExperimentSummary({ id: 9 })] });
  expect([7, 8, 9].map((id) => stale(experimentKey(id)))).toEqual([true, false, true]);
});

it('repeats a request if an event arrived while it was in flight', async () => {
  const { client, detail } = setUp();
  const answers: ((detail: ExperimentDetail) => void)[] = [];
  const queryFn = () => new Promise<ExperimentDetail>((resolve) => answers.push(resolve));
  const observer = new QueryObserver(client, { queryKey: experimentKey(7), queryFn });
  const forget = observer.subscribe(() => {});
  expect(answers).toHaveLength(1);
  patchQueries(client, makeEvent(1, { event: 'run', data: makeRunSummary({ status: 'done' }) }));
  answers[0]?.(makeDetail({ name: 'older' }));
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.(makeDetail({ name: 'newer' }));
  await expect.poll(() => detail()?.name).toBe('newer');
  forget();
});

it('repeats the very first request when its response has arrived', async () => {
  const { client, detail } = setUp();
  client.removeQueries({ queryKey: experimentKey(7) });
  const answers: ((detail: ExperimentDetail) => void)[] = [];
  const queryFn = () => new Promise<ExperimentDetail>((resolve) => answers.push(resolve));
  const forget = new QueryObserver(client, { queryKey: experimentKey(7), queryFn }).subscribe(() => {});
  patchQueries(client, makeEvent(1, { event: 'run', data: makeRunSummary({ status: 'done' }) }));
  answers[0]?.(makeDetail({ name: 'older' }));
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.(makeDetail({ name: 'newer' }));
  await expect.poll(() => detail()?.name).toBe('newer');
  forget();
});

it('adds a new testbed, and keeps the latest state of a testbed during a request', async () => {
  const { client } = setUp();
  const status = (testbedId: string, busyWith: number | null): TestbedStatus => ({
    ...makeTestbed({ testbedId }),
    busyWith,
  });
  client.setQueryData(keyOf('GET /testbeds'), { items: [status('local', null)] });
  const answers: ((list: { items: TestbedStatus[] }) => void)[] = [];
  const queryFn = () => new Promise<{ items: TestbedStatus[] }>((resolve) => answers.push(resolve));
  const forget = new QueryObserver(client, { queryKey: keyOf('GET /testbeds'), queryFn }).subscribe(() => {});
  const busy = () =>
    client.getQueryData<{ items: TestbedStatus[] }>(keyOf('GET /testbeds'))?.items.at(-1)?.busyWith;
  patchQueries(client, makeEvent(1, { event: 'testbed', data: status('local', 7) }));
  answers[0]?.({ items: [status('local', null)] });
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.({ items: [status('local', 7)] });
  await expect.poll(busy).toBe(7);
  patchQueries(client, makeEvent(2, { event: 'testbed', data: status('three-pis', 8) }));
  await expect.poll(() => answers.length).toBe(3);
  answers[2]?.({ items: [status('local', 7), status('three-pis', 8)] });
  await expect.poll(busy).toBe(8);
  forget();
});
