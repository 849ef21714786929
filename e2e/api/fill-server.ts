import type { Share } from '@mqttlab/shared/messages/shares';
import { makeQuickDraft, startExperiment, waitUntilDone } from '../fixtures/experiments.ts';
import type { TestServer } from '../fixtures/server.ts';

/** Ids of existing objects, used in requests. */
export interface KnownThings {
  shareTokens: string[];
  studyIds: string[];
}

const externalBroker = {
  label: 'Elsewhere',
  address: '127.0.0.1',
  port: 9,
  tlsPort: null,
  websocketPort: null,
  mqttVersions: ['3.1.1'],
  authority: null,
  serverName: null,
  username: 'me',
  password: 'secret',
  process: null,
  unit: null,
};

/** Creates test data: an experiment with runs, copies and drafts, links, views, tokens, a webhook and a study. */
export async function fillServer(server: TestServer): Promise<KnownThings> {
  // Capturing packets requires root.
  const packets = process.getuid?.() === 0 ? { capture: ['full'], keyLog: ['kept'] } : {};
  const factors = { security: ['TLS 1.3', 'plain'], rate: [200], ...packets };
  const id = await startExperiment(server, makeQuickDraft({ name: 'Real', factors }));
  const { runs } = await waitUntilDone(server, id);
  for (let copies = 0; copies < 4; copies++) await server.api('POST', `/experiments/${id}/actions/clone`);
  await server.api('PATCH', `/runs/${runs[0]?.id}`, { notes: 'looked at', tags: ['odd'] });
  const subjects = [
    { kind: 'run', runId: runs[0]?.id, details: true, packets: 'captures and keys' },
    { kind: 'experiment', experimentId: id },
    { kind: 'view', view: `experiments=${id}` },
  ];
  const shareTokens: string[] = [];
  for (const subject of subjects) {
    shareTokens.push((await server.api<Share>('POST', '/shares', subject)).token);
  }
  const studyIds: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    await server.api('POST', '/views', { name, page: 'compare', state: `experiments=${id}` });
    await server.api('POST', '/tokens', { name, role: 'viewer' });
    await server.api('POST', '/accounts', { name, role: 'viewer', password: `the password of ${name}` });
    await server.api('POST', '/webhooks', { url: `http://127.0.0.1:9/${name}`, events: ['run.failed'] });
    const body = { title: name, question: 'How?', source: '', experimentIds: [id] };
    studyIds.push((await server.api<{ id: string }>('POST', '/studies', body)).id);
  }
  await server.api('PUT', '/testbeds/local/external-broker', externalBroker);
  await server.api('PUT', '/testbeds/local/external-device', { name: 'node-3' });
  return { shareTokens, studyIds };
}
