import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { FilledPlan, Problem } from '@mqttlab/shared/messages/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeAll(async () => {
  rig = await startApiRig();
});
afterAll(() => rig.stop());

const yaml = 'name: As a body\nfactors: { security: plain, qos: [0, 1] }\nrepetitions: 2\n';
const plan = { name: 'As a body', factors: { security: 'plain', qos: [0, 1] }, repetitions: 2 };

const forms: [name: string, type: string, body: (wrong?: boolean) => string][] = [
  [
    'YAML',
    'application/yaml',
    (wrong) => (wrong ? yaml.replace('repetitions: 2', 'repetitions: many') : yaml),
  ],
  ['JSON', 'application/json', (wrong) => JSON.stringify(wrong ? { ...plan, repetitions: 'many' } : plan)],
  [
    'text in JSON',
    'application/json',
    (wrong) => JSON.stringify({ text: wrong ? yaml.replace('repetitions: 2', 'repetitions: many') : yaml }),
  ],
];

async function post<T>(path: string, { type, body }: { type: string; body: string }) {
  const response = await fetch(`${rig.origin}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  return { status: response.status, body: (await response.json()) as T };
}

describe.each(forms)('a plan as %s', (_, type, write) => {
  it('creates the same draft', async () => {
    const { status, body } = await post<ExperimentDetail>('/experiments/import', { type, body: write() });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      status: 'draft',
      draft: { name: 'As a body', factors: { qos: [0, 1] }, repetitions: 2 },
    });
  });

  it('is completed and checked', async () => {
    const { status, body } = await post<FilledPlan>('/plan/read', { type, body: write() });
    expect([status, body.draft.repetitions]).toEqual([200, 2]);
  });

  it('is refused with the path of the field', async () => {
    for (const path of ['/experiments/import', '/plan/read']) {
      const { status, body } = await post<Problem>(path, { type, body: write(true) });
      expect([status, body.issues.map(({ field }) => field)]).toEqual([422, ['repetitions']]);
    }
  });
});

it('a misspelt field of a JSON plan is named, and a missing text without any field', async () => {
  const type = 'application/json';
  const misspelt = await post<Problem>('/plan/read', { type, body: '{"facters": {"qos": 0}}' });
  expect([misspelt.status, misspelt.body.issues[0]?.field]).toEqual([422, 'facters']);
  const empty = await post<Problem>('/plan/read', { type, body: '{}' });
  expect([empty.status, empty.body.issues[0]?.field]).toEqual([422, 'text']);
});

it('other content types are refused with those that are accepted', async () => {
  const { status, body } = await post<Problem>('/experiments/import', { type: 'text/plain', body: yaml });
  expect(status).toBe(415);
  expect(body.remedy).toMatch(/application\/json.*application\/yaml/);
});

it('the OpenAPI document lists both', async () => {
  const { body } = await rig.api('/openapi.json');
  const { paths } = body as {
    paths: Record<string, { post: { requestBody: { content: Record<string, unknown> } } }>;
  };
  for (const path of ['/experiments/import', '/plan/read', '/studies/import']) {
    const { content } = paths[`/api/v1${path}`]!.post.requestBody;
    expect(Object.keys(content).sort()).toEqual(['application/json', 'application/yaml']);
  }
});
