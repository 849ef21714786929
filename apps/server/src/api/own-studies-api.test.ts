import { type StudyFile, studyFileVersion } from '@mqttlab/shared/domain/plans/study-file';
import type { Problem } from '@mqttlab/shared/messages/http';
import type { StudyList, StudyRun } from '@mqttlab/shared/messages/studies';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playExperiment } from '../testing/stores-factory.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

const post = (path: string, body?: unknown) => rig.api(path, { method: 'POST', body });

async function saveOne(title = 'Ours: QoS'): Promise<StudyFile> {
  const { id } = playExperiment(rig, { repetitions: 3 }, (treatment, block) => ({
    latencyMs: 1 + treatment + block / 20,
  }));
  const { status, body } = await post('/studies', { experimentIds: [id], title, source: 'Us, 2026' });
  expect(status).toBe(201);
  return body as StudyFile;
}

describe('studies of users', () => {
  it('are made from an experiment with its figures, and are listed with the published studies and their cost', async () => {
    const file = await saveOne();
    expect(file).toMatchObject({ id: 'ours-qos', schemaVersion: studyFileVersion, source: 'Us, 2026' });
    const reference = file.parts[0]?.reference?.metrics.find(({ metric }) => metric === 'latency.p50');
    expect(reference?.values[0]).toMatchObject({ runs: 3 });
    expect(reference?.values[0]?.mean).toBeCloseTo(1.1, 1);
    const { items } = (await rig.api('/studies')).body as StudyList;
    const listed = items.find(({ id }) => id === 'ours-qos');
    expect(listed?.own).toEqual(file);
    const [smoke, , full] = listed?.parts[0]?.scales ?? [];
    expect(smoke?.runs).toBe((full?.runs ?? 0) / 3);
    expect(smoke?.durationMs).toBeLessThan(full?.durationMs ?? 0);
  });

  it.each(['yaml', 'json'] as const)('are exported as %s and imported unchanged, once', async (format) => {
    const file = await saveOne();
    const { text, headers } = await rig.api(`/studies/${file.id}/study.${format}`);
    expect(headers.get('content-disposition')).toContain(`study-ours-qos.${format}`);
    expect((await post('/studies/import', { text })).body).toEqual(file);
    expect((await rig.api(`/studies/${file.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await post('/studies/import', { text })).body).toEqual(file);
    const other = { ...file, question: 'Another?' };
    const { body } = await post('/studies/import', { text: JSON.stringify(other) });
    expect(body).toMatchObject({ id: 'ours-qos-2', question: 'Another?' });
  });

  it('names the invalid field of a file', async () => {
    const file = await saveOne();
    const broken: readonly (readonly [unknown, string, string])[] = [
      ['{{', 'text', 'not valid YAML or JSON'],
      [
        { ...file, schemaVersion: 99 },
        'schemaVersion',
        'this version of mqttlab only reads versions up to 1',
      ],
      [{ ...file, id: 'Not An Id' }, 'id', 'lower-case letters'],
      [{ ...file, parts: [] }, 'parts', ''],
      [{ ...file, parts: [file.parts[0], file.parts[0]] }, 'parts', 'two parts with the same id'],
      [{ ...file, extra: 1 }, 'body', ''],
      [
        { ...file, parts: [{ ...file.parts[0], plan: { ...file.parts[0]?.plan, repetitions: 'many' } }] },
        'parts[0].plan.repetitions',
        '',
      ],
    ];
    for (const [input, field, words] of broken) {
      const text = typeof input === 'string' ? input : JSON.stringify(input);
      const answer = await post('/studies/import', { text });
      expect(answer.status, field).toBe(422);
      const [issue] = (answer.body as Problem).issues;
      if (field !== 'body') expect(issue?.field).toBe(field);
      expect(issue?.reason).toContain(words);
      expect(issue?.remedy).not.toBe('');
    }
    expect((await rig.api('/studies/rpi-broker', { method: 'DELETE' })).status).toBe(409);
    expect((await rig.api('/studies/nothing/study.json')).status).toBe(404);
    expect((await post('/studies', { experimentIds: [77], title: 'x' })).status).toBe(404);
  });

  it('run on another testbed with its capabilities, and keep their source file', async () => {
    const file = await saveOne();
    const moved = structuredClone(file);
    moved.parts[0]!.plan.factors.link = ['wlan7'];
    moved.id = 'moved';
    await post('/studies/import', { text: JSON.stringify(moved) });
    const { items } = (await rig.api('/studies')).body as StudyList;
    const part = items.find(({ id }) => id === 'moved')?.parts[0];
    expect(part?.leftOut.map(({ what }) => what)).toContain('Link wlan7');
    expect(part?.scales).toHaveLength(3);
    const started = await post('/study-runs', { studyId: 'moved', testbedId: 'local', scale: 'smoke' });
    expect(started.status).toBe(201);
    await rig.api('/studies/moved', { method: 'DELETE' });
    const run = (await rig.api(`/study-runs/${(started.body as StudyRun).id}`)).body as StudyRun;
    expect(run.own?.id).toBe('moved');
    expect(run.parts[0]?.experimentId).not.toBeNull();
  });
});

describe('a study run', () => {
  it('queues every part in order, records omissions, and ends them together', async () => {
    const { status, body } = await post('/study-runs', {
      studyId: 'cipher-suites',
      testbedId: 'local',
      scale: 'smoke',
    });
    expect(status).toBe(201);
    const run = body as StudyRun;
    expect(run).toMatchObject({ title: 'Every cipher suite', scale: 'smoke', status: 'running', own: null });
    expect(run.parts.map(({ id, status: state }) => `${id} ${state}`)).toEqual(
      ['a', 'b', 'c', 'd'].map((id) => `${id} queued`),
    );
    expect(run.parts[0]?.leftOut.map(({ what }) => what)).toContain('4G/LTE between the devices');
    const [first, second] = run.parts.map(({ experimentId }) =>
      rig.experiments.findExperiment(experimentId!),
    );
    expect(first!.queuedAt!).toBeLessThanOrEqual(second!.queuedAt!);
    expect(first?.tags).toEqual(['study:cipher-suites', 'part:a', 'scale:smoke']);

    const ended = await post(`/study-runs/${run.id}/actions/cancel`);
    expect(ended.body).toMatchObject({ status: 'cancelled' });
    const states = new Set((ended.body as StudyRun).parts.map(({ status: state }) => state));
    expect([...states]).toEqual(['cancelled']);
    expect((await post(`/study-runs/${run.id}/actions/cancel`)).status).toBe(200);
    const { items } = (await rig.api('/study-runs')).body as { items: StudyRun[] };
    expect(items.map(({ id }) => id)).toEqual([run.id]);
  });

  it('runs one part alone if only that is requested', async () => {
    const { body } = await post('/study-runs', {
      studyId: 'cipher-suites',
      testbedId: 'local',
      scale: 'bench',
      parts: ['b'],
    });
    const [a, b] = (body as StudyRun).parts;
    expect(a?.experimentId).toBeNull();
    expect(a?.leftOut.at(-1)?.reason).toBe('this part was not requested');
    expect(b?.status).toBe('queued');
  });

  it.each([
    [{ studyId: 'nothing' }, 404, 'There is no study nothing'],
    [{ testbedId: 'moon' }, 404, 'There is no testbed moon'],
    [{ scale: 'huge' }, 422, 'scale'],
    [{ parts: ['z'] }, 422, 'there is no part "z"'],
    [{ parts: [] }, 422, 'parts'],
  ])('is refused with %j, and nothing is created', async (change, status, words) => {
    const answer = await post('/study-runs', {
      studyId: 'cipher-suites',
      testbedId: 'local',
      scale: 'smoke',
      ...change,
    });
    expect(answer.status).toBe(status);
    expect((answer.body as Problem).detail).toContain(words);
    expect((answer.body as Problem).remedy).not.toBe('');
    expect((await rig.api('/experiments')).body).toMatchObject({ items: [] });
  });
});
