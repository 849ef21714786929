import type { Problem } from '@mqttlab/shared/messages/http';
import type { Share, SharedContent } from '@mqttlab/shared/messages/shares';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freezeSettledShares } from '../results/background-answers.ts';
import { makeTestDraft, makeTestPlan } from '../testing/experiment-factory.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
let now: number;
beforeEach(async () => {
  now = 1_790_000_000_000;
  rig = await startApiRig({ now: () => now });
});
afterEach(() => rig.stop());

async function share(body: object): Promise<Share> {
  const answer = await rig.api('/shares', { method: 'POST', body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as Share;
}

async function read({ token }: Share): Promise<SharedContent> {
  const answer = await rig.api(`/shared/${token}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as SharedContent;
}

describe('share links', () => {
  it('carry 128 random bits and name their page', async () => {
    const { id, runs } = playExperiment(rig);
    const made = await Promise.all([
      share({ kind: 'experiment', experimentId: id }),
      share({ kind: 'run', runId: runs[0]!.id }),
      share({ kind: 'view', view: `experiments=${id}&metric=cpu.broker` }),
    ]);
    expect(new Set(made.map(({ token }) => token)).size).toBe(3);
    for (const { token, path } of made) {
      expect(Buffer.from(token, 'base64url')).toHaveLength(16);
      expect(path).toBe(`/s/${token}`);
    }
    expect(made.map(({ title }) => title)).toEqual(['TLS or not', 'Run 1 of TLS or not', 'TLS or not']);
    const { items } = (await rig.api('/shares')).body as { items: Share[] };
    expect(items.map(({ token }) => token).sort()).toEqual(made.map(({ token }) => token).sort());
  });

  it('freeze final content: later changes do not show', async () => {
    const { id } = playExperiment(rig);
    const link = await share({ kind: 'experiment', experimentId: id });
    const before = await read(link);
    expect(before).toMatchObject({ live: false, frozenAt: now });
    await rig.api(`/experiments/${id}`, { method: 'PATCH', body: { name: 'renamed' } });
    now += 1000;
    expect(await read(link)).toEqual(before);
    expect(before.content.kind === 'experiment' && before.content.comparison.treatments).toHaveLength(3);
  });

  it('are live while an experiment runs, then freeze on the next visit', async () => {
    const plan = makeTestPlan();
    const { id } = rig.experiments.createExperiment(makeTestDraft());
    rig.experiments.savePlan(id, plan);
    rig.experiments.updateExperiment(id, { status: 'running' });
    const trial = plan.trials[0]!;
    const { block, treatmentKey, number: trialNumber } = trial;
    const run = rig.runs.createRun({
      experimentId: id,
      trialNumber,
      block,
      treatmentKey,
      attempt: 1,
      retryOf: null,
    });
    const links = [
      await share({ kind: 'experiment', experimentId: id }),
      await share({ kind: 'run', runId: run.id }),
      await share({ kind: 'view', view: `?experiments=${id}` }),
    ];
    for (const link of links) expect(await read(link)).toMatchObject({ live: true, frozenAt: null });
    rig.runs.updateRun(run.id, { status: 'done' });
    rig.experiments.updateExperiment(id, { status: 'done', finishedAt: now });
    for (const link of links) expect(await read(link)).toMatchObject({ live: false, frozenAt: now });
    rig.experiments.updateExperiment(id, { name: 'later' });
    for (const link of links) expect((await rig.api(`/shared/${link.token}`)).text).not.toContain('later');
  });

  it('freeze when an experiment ends, even without a viewer', async () => {
    const { id } = playExperiment(rig);
    rig.experiments.updateExperiment(id, { status: 'running' });
    const link = await share({ kind: 'experiment', experimentId: id });
    const revoked = await share({ kind: 'experiment', experimentId: id });
    rig.shares.revokeShare(revoked.token);
    const gone = rig.createDraft();
    await share({ kind: 'experiment', experimentId: gone });
    rig.experiments.updateExperiment(gone, { deletedAt: now });
    await freezeSettledShares({ ...rig.services.stores, answers: rig.services.answers }, (error) =>
      expect.fail(String(error)),
    );
    expect(rig.shares.findFrozenContent(link.token)).toBeNull();
    rig.experiments.updateExperiment(id, { status: 'done' });
    await freezeSettledShares({ ...rig.services.stores, answers: rig.services.answers }, (error) =>
      expect.fail(String(error)),
    );
    rig.experiments.updateExperiment(id, { name: 'later', status: 'running' });
    expect((await read(link)).content).toMatchObject({ experiment: { name: 'TLS or not', status: 'done' } });
    expect(rig.shares.findFrozenContent(revoked.token)).toBeNull();
  });

  it('freeze even if the subject of another link is damaged, which is reported', async () => {
    const [damaged, sound] = [playExperiment(rig), playExperiment(rig)];
    for (const { id } of [damaged, sound]) rig.experiments.updateExperiment(id, { status: 'running' });
    await share({ kind: 'experiment', experimentId: damaged.id });
    const link = await share({ kind: 'experiment', experimentId: sound.id });
    for (const { id } of [damaged, sound]) rig.experiments.updateExperiment(id, { status: 'done' });
    rig.database.run("UPDATE experiments SET draft_json = 'no draft' WHERE id = :id", { id: damaged.id });
    const errors: unknown[] = [];
    await freezeSettledShares({ ...rig.services.stores, answers: rig.services.answers }, (error) =>
      errors.push(error),
    );
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('cannot be read') })]);
    expect(rig.shares.findFrozenContent(link.token)).not.toBeNull();
  });

  it('keep the series that the view names', async () => {
    const { id } = playExperiment(rig);
    const view = `experiments=${id}&role=broker&series=cpu.process&hide=`;
    const { content } = await read(await share({ kind: 'view', view }));
    expect(content.kind === 'view' && content.series.map(({ metric, role }) => [metric, role])).toEqual(
      Array.from({ length: 3 }, () => ['cpu.process', 'broker']),
    );
  });

  it('show a study run with all data of its page, and freeze it with its last part', async () => {
    const { id } = playExperiment(rig);
    rig.experiments.updateExperiment(id, { status: 'running' });
    const part = { title: 'states', question: 'How many bytes?', leftOut: [] };
    const { id: studyRunId } = rig.studies.createStudyRun({
      studyId: 'stability-aware',
      title: 'Stability',
      testbedId: 'local',
      scale: 'smoke',
      own: null,
      parts: [
        { ...part, id: 'a', experimentId: id },
        { ...part, id: 'b', experimentId: null },
      ],
    });
    const link = await share({ kind: 'study', studyRunId });
    expect(link.title).toBe(`Stability, smoke (study run ${studyRunId})`);
    // Only final reports are stored.
    const unfinished = await read(link);
    expect(unfinished).toMatchObject({ live: true, frozenAt: null });
    expect(unfinished.content).toMatchObject({ results: [{ partId: 'a', report: null }] });
    rig.experiments.updateExperiment(id, { status: 'done' });
    await freezeSettledShares({ ...rig.services.stores, answers: rig.services.answers }, (error) =>
      expect.fail(String(error)),
    );
    rig.experiments.updateExperiment(id, { name: 'later' });
    const { content, live } = await read(link);
    expect(live).toBe(false);
    if (content.kind !== 'study') throw new Error(content.kind);
    expect(content.run).toMatchObject({ id: studyRunId, status: 'done' });
    expect(content.results.map(({ partId }) => partId)).toEqual(['a']);
    expect(content.results[0]?.comparison.treatments).toHaveLength(3);
    expect(content.results[0]?.report?.experiment.name).toBe('TLS or not');
    expect(content.results[0]?.facts.devices?.map(({ role }) => role)).toContain('broker');
    rig.experiments.updateExperiment(id, { deletedAt: now });
    expect((await rig.api(`/shared/${link.token}`)).status).toBe(410);
  });

  it('end when they expire or are revoked, with the reason', async () => {
    const { id } = playExperiment(rig);
    const expiring = await share({ kind: 'experiment', experimentId: id, expiresAt: now + 1000 });
    const revoked = await share({ kind: 'experiment', experimentId: id });
    await read(expiring);
    now += 1001;
    expect((await rig.api(`/shares/${revoked.token}`, { method: 'DELETE' })).status).toBe(204);
    for (const [link, word] of [
      [expiring, /valid until/],
      [revoked, /revoked/],
    ] as const) {
      const ended = await rig.api(`/shared/${link.token}`);
      expect([ended.status, (ended.body as Problem).detail]).toEqual([410, expect.stringMatching(word)]);
    }
  });

  it('are restored with the same address within five minutes after they are revoked', async () => {
    const { id } = playExperiment(rig);
    const link = await share({ kind: 'experiment', experimentId: id });
    const revoke = async () => (await rig.api(`/shares/${link.token}`, { method: 'DELETE' })).status;
    const restore = async () => (await rig.api(`/shares/${link.token}/restore`, { method: 'POST' })).status;
    const open = async () => (await rig.api(`/shared/${link.token}`)).status;
    expect(await restore()).toBe(409);
    expect([await revoke(), await open(), await restore(), await open()]).toEqual([204, 410, 204, 200]);
    await revoke();
    now += 5 * 60_000 + 1;
    expect([await restore(), await open()]).toEqual([409, 410]);
    const missing = await rig.api(`/shares/${'x'.repeat(22)}/restore`, { method: 'POST' });
    expect(missing.status).toBe(404);
  });

  it('are refused for missing subjects', async () => {
    const post = (body: object) => rig.api('/shares', { method: 'POST', body });
    const { id } = playExperiment(rig);
    expect((await post({ kind: 'experiment', experimentId: 99 })).status).toBe(404);
    expect((await post({ kind: 'run', runId: 99 })).status).toBe(404);
    expect((await post({ kind: 'study', studyRunId: 99 })).status).toBe(404);
    expect((await post({ kind: 'view', view: 'experiments=99' })).status).toBe(404);
    expect((await post({ kind: 'view', view: 'metric=x' })).status).toBe(422);
    expect((await post({ kind: 'view', view: 'experiments=abc' })).status).toBe(422);
    expect((await post({ kind: 'experiment', experimentId: id, expiresAt: now })).status).toBe(422);
    const draft = rig.createDraft();
    const link = await share({ kind: 'experiment', experimentId: draft });
    expect(await read(link)).toMatchObject({ live: false, frozenAt: null });
    rig.experiments.updateExperiment(draft, { deletedAt: now });
    expect((await rig.api(`/shared/${link.token}`)).status).toBe(410);
  });
});
