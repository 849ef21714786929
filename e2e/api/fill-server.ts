import type { ExperimentDetail } from '@mqttlab/shared/domain/experiment';
import type { Share } from '@mqttlab/shared/protocol/http';
import { makeQuickDraft, startExperiment, waitUntilDone } from '../fixtures/experiments.ts';
import type { TestServer } from '../fixtures/server.ts';

/** Names of what there is, to ask for. */
export interface KnownThings {
  shareTokens: string[];
  protocolId: string;
}

/** One of everything: a real experiment with its runs, copies and drafts, links, views, tokens, a webhook, a protocol. */
export async function fillServer(server: TestServer): Promise<KnownThings> {
  const factors = { security: ['plain', 'TLS 1.3'], rate: [200] };
  const id = await startExperiment(server, makeQuickDraft({ name: 'Real', factors }));
  const { runs } = await waitUntilDone(server, id);
  for (let copies = 0; copies < 4; copies++) await server.api('POST', `/experiments/${id}/actions/clone`);
  await server.api('PATCH', `/runs/${runs[0]?.id}`, { notes: 'looked at', tags: ['odd'] });
  const subjects = [
    { kind: 'experiment', experimentId: id },
    { kind: 'run', runId: runs[0]?.id, details: true },
    { kind: 'view', view: `experiments=${id}` },
  ];
  const shareTokens: string[] = [];
  for (const subject of subjects) {
    shareTokens.push((await server.api<Share>('POST', '/shares', subject)).token);
  }
  await server.api('POST', '/views', { name: 'View', page: 'compare', state: `experiments=${id}` });
  await server.api('POST', '/tokens', { name: 'viewer', role: 'viewer' });
  await server.api('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['run.failed'] });
  const body = { title: 'Own', question: 'How?', source: '', experimentIds: [id] };
  const own = await server.api<{ id: string }>('POST', '/protocols', body);
  await server.api<ExperimentDetail>('GET', `/experiments/${id}`);
  return { shareTokens, protocolId: own.id };
}
