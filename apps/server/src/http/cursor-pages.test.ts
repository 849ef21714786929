import { endpoints } from '@mqttlab/shared/messages/api';
import { makeApiClient } from '@mqttlab/shared/messages/api-client';
import { expect, it } from 'vitest';
import { playExperiment } from '../testing/stores-factory.ts';
import { startApiRig } from './testing/api-rig.ts';

async function all<Page>(pages: AsyncIterable<Page>): Promise<Page[]> {
  const found: Page[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

it('gives long lists page by page, each thing once, also while new ones come', async () => {
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
    rig.changes.add(change, { join: false });
  }
  const refuse = (error: unknown) => ({ title: 'no answer', detail: String(error), remedy: '' });
  const client = makeApiClient({
    server: rig.origin,
    token: null,
    loadEndpoints: async () => endpoints,
    unreachable: refuse,
    withoutReason: refuse,
    unknownForm: (error) => error,
  });
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
    // As before there were cursors.
    const second = await client.call('GET /experiments', { query: { offset: 2, limit: 2 } });
    expect(second.items.map(({ id }) => id)).toEqual(ids.toReversed().slice(1, 3));
  } finally {
    await rig.stop();
  }
});
