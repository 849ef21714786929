import { endpoints } from '@mqttlab/shared/messages/api';
import { makeApiClient } from '@mqttlab/shared/messages/api-client';
import { expect, it } from 'vitest';
import { makeTestPlan } from '../testing/experiment-factory.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

async function all<Page>(pages: AsyncIterable<Page>): Promise<Page[]> {
  const found: Page[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

const refuse = (error: unknown) => ({ title: 'no answer', detail: String(error), remedy: '' });
const clientOf = (rig: ApiRig) =>
  makeApiClient({
    server: rig.origin,
    token: null,
    loadEndpoints: async () => endpoints,
    unreachable: refuse,
    withoutReason: refuse,
    unknownForm: (error) => error,
  });

it('returns long lists page by page, each item once, even while new ones are added', async () => {
  const rig = await startApiRig();
  const played = playExperiment(rig, { repetitions: 3 });
  const ids = [played.id, ...[1, 2, 3, 4].map(() => rig.createDraft())];
  for (const text of ['a', 'b', 'c', 'd', 'e']) {
    const line = { at: 1, level: 'info', source: 'server', text } as const;
    rig.runs.appendLog({ experimentId: played.id, runId: null, line });
    const change = {
      actor: text,
      address: '',
      action: 'PATCH /x',
      words: '',
      subject: '/x',
      before: null,
      after: null,
    };
    rig.changes.addChange(change, { join: false });
  }
  const client = clientOf(rig);
  const query = { limit: 2 };
  const ofPlayed = { params: { id: played.id }, query };
  try {
    const seen: number[] = [];
    for await (const { items } of client.pages('GET /experiments', { query })) {
      seen.push(...items.map(({ id }) => id));
      if (seen.length === 2) rig.createDraft();
    }
    expect(seen).toEqual(ids.toReversed());
    const runs = await all(client.pages('GET /experiments/{id}/runs', ofPlayed));
    expect(runs.map(({ items }) => items.length)).toEqual([2, 2, 2, 2, 1]);
    expect(runs.flatMap(({ items }) => items)).toEqual(played.runs.toReversed());
    const log = await all(client.pages('GET /experiments/{id}/log', ofPlayed));
    expect(log.flatMap(({ items }) => items.map(({ line }) => line.text))).toEqual(['e', 'd', 'c', 'b', 'a']);
    const changes = await all(client.pages('GET /changes', { query }));
    expect(changes.flatMap(({ items }) => items.map(({ actor }) => actor))).toEqual([
      'e',
      'd',
      'c',
      'b',
      'a',
    ]);
    // As before cursors existed.
    const second = await client.call('GET /experiments', { query: { offset: 2, limit: 2 } });
    expect(second.items.map(({ id }) => id)).toEqual(ids.toReversed().slice(1, 3));
  } finally {
    await rig.stop();
  }
});

it('returns every run of an experiment once, while runs are added, retried and finished', async () => {
  const rig = await startApiRig();
  try {
    const { id, plan, runs } = playExperiment(rig, { repetitions: 3 });
    const [first] = runs;
    const added: number[] = [];
    const add = (trialNumber: number, retryOf: number | null): void => {
      const { block, treatmentKey } = plan.trials[trialNumber - 1]!;
      const attempt = retryOf === null ? 1 : 2;
      const run = { experimentId: id, trialNumber, block, treatmentKey, attempt, retryOf };
      added.push(rig.runs.createRun(run).id);
    };
    const changes = [
      // The first page was read before: its run is retried, and keeps its position.
      () => add(1, first!.id),
      () => rig.runs.updateRun(runs[2]!.id, { exclusion: { reason: 'door', at: 1 } }),
      () => add(2, runs[1]!.id),
      () => rig.runs.updateRun(added[0]!, { status: 'done' }),
      // On the last page.
      () => add(3, runs[2]!.id),
    ];
    const seen: number[] = [];
    const query = { limit: 2 };
    for await (const { items } of clientOf(rig).pages('GET /experiments/{id}/rows', {
      params: { id },
      query,
    })) {
      seen.push(...items.map((row) => row.id));
      changes.shift()?.();
    }
    expect(changes).toEqual([]);
    expect(seen).toEqual([...runs.map((run) => run.id), ...added]);
  } finally {
    await rig.stop();
  }
});

it('returns an experiment with the first trials of its plan, and the rest page by page', async () => {
  const rig = await startApiRig();
  try {
    const plan = makeTestPlan({ repetitions: 201 });
    const id = rig.createDraft({ repetitions: 201 });
    rig.experiments.savePlan(id, plan);
    expect(plan.trials.length).toBe(603);
    const client = clientOf(rig);
    const { plan: shown, nextTrials } = await client.call('GET /experiments/{id}', { params: { id } });
    expect([shown?.trials.length, nextTrials]).toEqual([500, 500]);
    const whole = await client.wholeExperiment(id);
    expect(whole.plan).toEqual(plan);
    expect(whole).not.toHaveProperty('nextTrials');
    const exported = JSON.parse((await rig.api(`/experiments/${id}/runs.json`)).text);
    expect(exported.plan).toEqual(plan);
    const share = { method: 'POST', body: { kind: 'experiment', experimentId: id } };
    const { token } = (await rig.api('/shares', share)).body as { token: string };
    expect((await rig.api(`/shared/${token}`)).body).toMatchObject({ content: { experiment: { plan } } });
  } finally {
    await rig.stop();
  }
});
