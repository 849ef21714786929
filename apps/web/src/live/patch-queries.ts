import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail, ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { type RunDetail, type RunSummary, rowMetricsOf, runRowOf } from '@mqttlab/shared/domain/runs/run';
import { isFinished, isSettled } from '@mqttlab/shared/domain/runs/statuses';
import type { ExperimentList, TestbedStatus } from '@mqttlab/shared/messages/http';
import type { LiveEvent, LiveSnapshot } from '@mqttlab/shared/messages/live';
import type { QueryClient } from '@tanstack/react-query';
import { comparisonEndpoints, keyOf, keysOfExperiment } from '../api/client.ts';

/**
 * Applies live events to the cached responses of the REST API. After a snapshot, events may have been missed,
 * so all displayed data is requested again.
 */
export function patchQueries(client: QueryClient, event: LiveEvent): void {
  if (event.event === 'snapshot') {
    void client.invalidateQueries();
  } else if (event.event === 'experiment') {
    patchExperiment(client, event.data);
    askAgainWhileFetching(client, experimentKey(event.data.id));
  } else if (event.event === 'run') {
    patchRun(client, event.data);
    askAgainWhileFetching(client, experimentKey(event.data.experimentId));
  } else if (event.event === 'testbed') {
    askAgainWhileFetching(client, keyOf('GET /testbeds'));
    patchTestbed(client, event.data);
  }
}

/**
 * Requests experiments again if they progressed between a response and the first snapshot. Later events do
 * not report which of their runs ended before the snapshot.
 */
export function refreshChanged(client: QueryClient, { active }: Pick<LiveSnapshot, 'active'>): void {
  const answers = client.getQueriesData<ExperimentDetail>({ queryKey: keyOf('GET /experiments/{id}') });
  for (const [queryKey, known] of answers) {
    if (!known) askAgainWhileFetching(client, queryKey);
    else if (!isFinished(known.status) || active.some(({ id }) => id === known.id))
      void client.invalidateQueries({ queryKey, exact: true });
  }
}

/**
 * Requests data again if it arrived while the first connection opened, because it may lack later changes. A
 * comparison of experiments that have all ended is not requested: it cannot be outdated, and is expensive to
 * compute.
 */
export function refreshOpened(client: QueryClient): void {
  const compared = client
    .getQueriesData<Partial<Comparison>>({ queryKey: keyOf('GET /compare') })
    .flatMap(([, data]) => data?.experiments ?? []);
  const hasEnded = compared.length > 0 && compared.every(({ status }) => isFinished(status));
  void client.invalidateQueries({
    predicate: ({ queryKey }) =>
      !(hasEnded && comparisonEndpoints.some((endpoint) => endpoint === queryKey[0])),
  });
}

/**
 * Repeats a request that is in flight. Its response may be older than the event and must not overwrite it.
 * The library does not cancel the first request, so the request is repeated after its response has arrived.
 */
function askAgainWhileFetching(client: QueryClient, queryKey: readonly unknown[]): void {
  const query = client.getQueryCache().find({ queryKey, exact: true });
  if (query?.state.fetchStatus !== 'fetching') return;
  const ask = () => void client.invalidateQueries({ queryKey, exact: true });
  if (query.state.data !== undefined) ask();
  else void query.promise?.then(ask, () => undefined);
}

const experimentKey = (id: number) => keyOf('GET /experiments/{id}', { params: { id } });

function patchExperiment(client: QueryClient, summary: ExperimentSummary): void {
  const known = client.getQueryData<ExperimentDetail>(experimentKey(summary.id));
  client.setQueryData<ExperimentDetail>(experimentKey(summary.id), (old) =>
    old ? { ...old, ...summary } : old,
  );
  if (known && known.status !== summary.status) {
    for (const queryKey of keysOfExperiment(summary.id)) void client.invalidateQueries({ queryKey });
  }
  let listed = true;
  client.setQueriesData<ExperimentList>({ queryKey: keyOf('GET /experiments') }, (list) => {
    const before = list?.items.find((item) => item.id === summary.id);
    if (!list || !before || before.status !== summary.status) listed = false;
    return list && before
      ? { ...list, items: list.items.map((item) => (item === before ? summary : item)) }
      : list;
  });
  // Counts and filtered lists change only if a status changes.
  if (!listed) void client.invalidateQueries({ queryKey: keyOf('GET /experiments') });
}

function patchRun(client: QueryClient, run: RunSummary): void {
  client.setQueryData<ExperimentDetail>(experimentKey(run.experimentId), (old) => old && withRun(old, run));
  const runKey = keyOf('GET /runs/{id}', { params: { id: run.id } });
  client.setQueryData<RunDetail>(runKey, (old) => (old ? { ...old, ...run } : old));
  if (!isSettled(run.status)) return;
  void client.invalidateQueries({ queryKey: runKey });
  for (const endpoint of comparisonEndpoints) void client.invalidateQueries({ queryKey: keyOf(endpoint) });
}

/** Returns the experiment with this run inserted or replaced; runs are sorted oldest first. */
function withRun(detail: ExperimentDetail, run: RunSummary): ExperimentDetail {
  const others = detail.runs.filter((old) => old.id !== run.id);
  const settled = isSettled(run.status);
  const wasCurrent = detail.currentRunId === run.id;
  return {
    ...detail,
    runs: [...others, runRowOf(run, rowMetricsOf(detail.plan))].sort((a, b) => a.id - b.id),
    currentRunId: settled ? (wasCurrent ? null : detail.currentRunId) : run.id,
  };
}

function patchTestbed(client: QueryClient, testbed: TestbedStatus): void {
  const known = client.getQueryData<{ items: TestbedStatus[] }>(keyOf('GET /testbeds'));
  if (known?.items.every((item) => item.testbedId !== testbed.testbedId)) {
    // The experiment is new.
    void client.invalidateQueries({ queryKey: keyOf('GET /testbeds') });
    return;
  }
  client.setQueryData<{ items: TestbedStatus[] }>(
    keyOf('GET /testbeds'),
    (old) =>
      old && { items: old.items.map((item) => (item.testbedId === testbed.testbedId ? testbed : item)) },
  );
}
