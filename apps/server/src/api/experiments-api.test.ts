import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { ExperimentList, PlanCheck, Problem } from '@mqttlab/shared/messages/http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTestDraft } from '../testing/experiment-factory.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

async function create(change = {}): Promise<ExperimentDetail> {
  const { status, body } = await rig.api('/experiments', {
    method: 'POST',
    body: { draft: makeTestDraft(change) },
  });
  expect(status).toBe(201);
  return body as ExperimentDetail;
}

const act = (id: number, action: string) =>
  rig.api(`/experiments/${id}/actions/${action}`, { method: 'POST' });

describe('experiments over HTTP', () => {
  it('creates, reads, edits, lists, deletes and restores', async () => {
    const { id } = await create({ name: 'one' });
    const saved = await rig.api(`/experiments/${id}/draft`, {
      method: 'PUT',
      body: makeTestDraft({ name: 'two', repetitions: 9 }),
    });
    expect(saved.body).toMatchObject({ name: 'two', draft: { name: 'two', repetitions: 9 } });
    const change = { name: 'three', tags: ['a', 'b'], notes: 'n' };
    const patched = await rig.api(`/experiments/${id}`, { method: 'PATCH', body: change });
    expect(patched.body).toMatchObject({ ...change, draft: change });
    const listed = (await rig.api('/experiments?search=THREE&tag=a')).body as ExperimentList;
    expect(listed).toMatchObject({
      total: 1,
      tags: ['a', 'b'],
      counts: { all: 1, draft: 1, active: 0, finished: 0 },
    });
    expect((await rig.api(`/experiments/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await rig.api(`/experiments/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(((await rig.api('/experiments')).body as ExperimentList).total).toBe(0);
    expect((await rig.api(`/experiments/${id}`, { method: 'PATCH', body: {} })).status).toBe(409);
    expect((await act(id, 'restore')).body).toMatchObject({ deletedAt: null });
    expect(((await rig.api('/experiments')).body as ExperimentList).total).toBe(1);
    expect(rig.published.filter(({ event }) => event === 'experiment').length).toBeGreaterThanOrEqual(5);
  });

  it('starts an experiment as a whole or not at all', async () => {
    const draft = await create({ name: 'drafted' });
    rig.database.run(
      `CREATE TRIGGER refuse BEFORE UPDATE OF queued_at ON experiments WHEN NEW.queued_at IS NOT NULL
       BEGIN SELECT RAISE(ABORT, 'the write failed'); END`,
    );
    expect((await act(draft.id, 'start')).status).toBe(500);
    expect(rig.experiments.findExperiment(draft.id)).toMatchObject({ status: 'draft', plan: null });
    expect(rig.experiments.findExperimentDetail(draft.id)?.startedBy).toBe(draft.startedBy);
    expect((await rig.api('/tour', { method: 'POST', body: {} })).status).toBe(500);
    expect(((await rig.api('/experiments')).body as ExperimentList).total).toBe(1);
    rig.database.run('DROP TRIGGER refuse');
    expect((await act(draft.id, 'start')).body).toMatchObject({ status: 'queued' });
  });

  it('creates one experiment for a request repeated with its key', async () => {
    const before = ((await rig.api('/experiments')).body as ExperimentList).total;
    const make = (key: string, name: string) =>
      rig.api('/experiments', {
        method: 'POST',
        body: { draft: makeTestDraft({ name }) },
        headers: { 'idempotency-key': key },
      });
    const answers = await Promise.all([make('a', 'one'), make('a', 'one')]);
    const first = answers.find(({ status }) => status === 201);
    for (const { status } of answers) expect([201, 409]).toContain(status);
    const again = await make('a', 'one');
    expect([again.status, again.text]).toEqual([201, first?.text]);
    expect((await make('a', 'two')).status).toBe(422);
    expect((await make('has spaces', 'two')).status).toBe(400);
    expect((await make('b', 'one')).body).not.toMatchObject({ id: (again.body as ExperimentDetail).id });
    expect(((await rig.api('/experiments')).body as ExperimentList).total).toBe(before + 2);
  });

  it('refuses to overwrite a draft that changed meanwhile, and accepts the same save twice', async () => {
    const { id } = await create({ name: 'mine' });
    const seen = (await rig.api(`/experiments/${id}/draft`)).headers.get('etag') ?? '';
    const save = (name: string, tag: string) =>
      rig.api(`/experiments/${id}/draft`, {
        method: 'PUT',
        body: makeTestDraft({ name }),
        headers: { 'if-match': tag },
      });
    const saved = await save('theirs', seen);
    expect([saved.status, saved.headers.get('etag')]).toEqual([
      200,
      (await rig.api(`/experiments/${id}/draft`)).headers.get('etag'),
    ]);
    expect((await save('theirs', seen)).status).toBe(200);
    const stale = await save('mine again', seen);
    expect(stale).toMatchObject({ status: 412, body: { remedy: expect.stringContaining('If-Match') } });
    expect((await save('mine again', saved.headers.get('etag') ?? '')).status).toBe(200);
  });

  it('starts from an empty draft with a separate seed', async () => {
    const [a, b] = await Promise.all([1, 2].map(() => rig.api('/experiments', { method: 'POST', body: {} })));
    const [first, second] = [a?.body as ExperimentDetail, b?.body as ExperimentDetail];
    expect(first.draft.testbedId).toBe('local');
    expect(first.draft.seed).not.toBe(second.draft.seed);
    expect(first).toMatchObject({ status: 'draft', plan: null, runs: [], queuePosition: null });
  });

  it('starts with a plan made against the testbed', async () => {
    const { id } = await create();
    const started = (await act(id, 'start')).body as ExperimentDetail;
    expect(started).toMatchObject({ status: 'queued', progress: { trials: 6 }, queuePosition: 0 });
    expect(started.plan?.treatments).toHaveLength(3);
    const again = await act(id, 'start');
    expect(again.status).toBe(409);
    expect((again.body as Problem).remedy).toMatch(/clone/i);
    const edited = await rig.api(`/experiments/${id}/draft`, { method: 'PUT', body: makeTestDraft() });
    expect([edited.status, (edited.body as Problem).remedy]).toEqual([409, 'Clone it and edit the clone.']);
    const deleted = await rig.api(`/experiments/${id}`, { method: 'DELETE' });
    expect([deleted.status, (deleted.body as Problem).remedy]).toEqual([
      409,
      'Cancel it first, then delete it.',
    ]);
  });

  it('reports why a draft cannot start and changes nothing', async () => {
    const { id } = await create({ name: ' ', repetitions: 0, factors: { rate: [1e9] } });
    const refused = await act(id, 'start');
    expect(refused.status).toBe(422);
    const { issues } = refused.body as Problem;
    expect(issues.map(({ field }) => field).sort()).toEqual(['factors.rate[0]', 'name', 'repetitions']);
    expect(issues.every(({ reason, remedy }) => reason && remedy)).toBe(true);
    expect(rig.experiments.findExperiment(id)).toMatchObject({ status: 'draft', plan: null });
    const elsewhere = await create({ testbedId: 'moon' });
    expect(((await act(elsewhere.id, 'start')).body as Problem).issues[0]?.field).toBe('testbedId');
  });

  it('clones a finished experiment into a draft', async () => {
    const { id } = playExperiment(rig, { name: 'x'.repeat(200) });
    const clone = (await act(id, 'clone')).body as ExperimentDetail;
    expect(clone).toMatchObject({ status: 'draft', runs: [], plan: null });
    expect(clone.id).not.toBe(id);
    expect(clone.name).toMatch(/x \(copy\)$/);
    expect({ ...clone.draft, name: '' }).toEqual({ ...rig.experiments.findExperiment(id)!.draft, name: '' });
  });

  it('starts the tour in one call', async () => {
    const tour = await rig.api('/tour', { method: 'POST' });
    expect(tour.status).toBe(201);
    expect(tour.body).toMatchObject({ status: 'queued', progress: { trials: 18 } });
  });

  it('checks a draft: treatments, impossible cells, cost and resolution', async () => {
    playExperiment(rig, {}, (_, block) => ({ latencyMs: block }));
    const draft = makeTestDraft({
      name: '',
      factors: { ...makeTestDraft().factors, security: ['plain', 'TLS 1.2', 'TLS 1.3'] },
    });
    const check = (await rig.api('/plan/check', { method: 'POST', body: draft })).body as PlanCheck;
    expect(check.issues.map(({ field }) => field)).toEqual(['name']);
    expect(check.treatments).toHaveLength(3);
    expect(check.excluded).toHaveLength(2);
    expect(check.estimate).toMatchObject({ runs: 6, source: 'observed', diskFreeBytes: 1e9 });
    expect(check.resolution).toMatchObject({ metric: 'latency.p50', fromRuns: 6 });
    expect(check.earlier).toEqual({ runs: 6, flagged: 0 });
    const none = { ...draft, name: 'n', factors: { security: ['TLS 1.3'], group: ['X25519MLKEM768'] } };
    const impossible = (await rig.api('/plan/check', { method: 'POST', body: none })).body as PlanCheck;
    expect(impossible).toMatchObject({ treatments: [], estimate: null, resolution: null });
    expect(impossible.issues[0]?.field).toBe('factors.group');
    expect(impossible.excluded).toHaveLength(1);
  });

  it('counts the earlier runs that are flagged for the response', async () => {
    // Lost messages flag a run at QoS 1.
    const factors = { ...makeTestDraft().factors, qos: [1] };
    playExperiment(rig, { repetitions: 4, factors }, (_, block) => ({
      latencyMs: block,
      lost: block > 1 ? 2 : 0,
    }));
    const check = (await rig.api('/plan/check', { method: 'POST', body: makeTestDraft() })).body as PlanCheck;
    expect(check).toMatchObject({ resolution: null, earlier: { runs: 12, flagged: 9 } });
  });

  it('warns about thresholds that the repetitions cannot resolve, according to the spread of earlier runs', async () => {
    playExperiment(rig, { repetitions: 4 }, (treatment, block) => ({
      latencyMs: 1 + ((treatment * 7 + block * 3) % 5) / 10,
    }));
    const check = async (atMost: number, of: 'baseline' | 'value' = 'baseline') => {
      const draft = makeTestDraft({ repetitions: 3, thresholds: [{ metric: 'latency.p50', atMost, of }] });
      return (await rig.api('/plan/check', { method: 'POST', body: draft })).body as PlanCheck;
    };
    const { issues, warnings } = await check(102);
    expect(issues).toEqual([]);
    expect(warnings).toEqual([
      expect.objectContaining({ field: 'thresholds[0]', remedy: expect.stringMatching(/\d+ repetitions/) }),
    ]);
    expect((await check(100_000)).warnings).toEqual([]);
    const [absolute] = (await check(1.25, 'value')).warnings;
    expect(absolute?.reason).toMatch(/ for .+, which had 1\.\d+.ms in 4 earlier runs: /);
    expect((await check(100, 'value')).warnings).toEqual([]);
  });

  it('estimates the start of a new experiment after running and waiting ones', async () => {
    const { id } = await create();
    await act(id, 'start');
    const check = (await rig.api('/plan/check', { method: 'POST', body: makeTestDraft() })).body as PlanCheck;
    const waitMs = check.estimate!.startsAt - Date.now();
    expect(waitMs).toBeGreaterThan(6 * 2500);
    expect(check.estimate!.finishesAt - check.estimate!.startsAt).toBe(check.estimate!.durationMs);
  });
});
