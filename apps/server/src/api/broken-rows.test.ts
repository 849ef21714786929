import type { ExperimentList, Problem } from '@mqttlab/shared/messages/http';
import type { StudyList } from '@mqttlab/shared/messages/studies';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playExperiment } from '../testing/stores-factory.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

const post = (path: string, body?: unknown) => rig.api(path, { method: 'POST', body });
const list = async () => (await rig.api('/experiments')).body as ExperimentList;
/** Damaged as by an earlier version or a bad disk. */
const spoil = (sql: string, params = {}) => rig.database.run(sql, params);

describe('stored rows that cannot be read', () => {
  it.each([
    ['created_at = 1e17', /created_at: must be a time before/],
    ["tags_json = 'no json'", /tags_json: is not JSON/],
    ["imported_json = '{}'", /imported_json\.from/],
    ["varied_json = '[7]'", /varied_json\.0/],
    ["status = 'lost'", /status/],
  ])(
    'an experiment with %s: listed as damaged beside the others, exported, deleted',
    async (change, reason) => {
      const broken = playExperiment(rig);
      const whole = playExperiment(rig, { name: 'whole' });
      spoil(`UPDATE experiments SET ${change} WHERE id = :id`, { id: broken.id });
      const { items } = await list();
      expect(items.map(({ id }) => id)).toEqual([whole.id, broken.id]);
      expect(items[0]?.broken).toBe(undefined);
      expect(items[1]?.broken).toMatch(reason);

      const opened = await rig.api(`/experiments/${broken.id}`);
      expect(opened.status).toBe(409);
      expect((opened.body as Problem).detail).toMatch(
        `The stored data of experiment ${broken.id} cannot be read`,
      );
      expect((opened.body as Problem).remedy).toMatch(/In the list, export it as stored or delete it/);

      const { status, text } = await rig.api(`/experiments/${broken.id}/stored.ndjson`);
      expect(status).toBe(200);
      const tables = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { table: string; row: object });
      expect(new Set(tables.map(({ table }) => table))).toEqual(
        new Set(['experiments', 'runs', 'run_metrics', 'run_results', 'run_series']),
      );
      expect(JSON.stringify(tables[0])).toContain('What does TLS cost?');

      expect((await rig.api(`/experiments/${broken.id}`, { method: 'DELETE' })).status).toBe(204);
      expect((await list()).items.map(({ id }) => id)).toEqual([whole.id]);
    },
  );

  it('an implausible metric is omitted, and list, page, comparison and report still work', async () => {
    const { id, runs } = playExperiment(rig, { repetitions: 2 });
    for (const value of [1e308, -1e308, Number.POSITIVE_INFINITY]) {
      spoil('UPDATE run_metrics SET value = :value WHERE run_id = :run', { value, run: runs[0]!.id });
      spoil(`UPDATE experiments SET headline_json = '{"difference":null}' WHERE id = :id`, { id });
      expect((await list()).items[0]).toMatchObject({ headline: null });
      for (const path of ['', '/report', '/report.html', '/bundle.zip', '/runs.csv', '/values.parquet']) {
        expect([path, (await rig.api(`/experiments/${id}${path}`)).status]).toEqual([path, 200]);
      }
      expect((await rig.api(`/compare?experiments=${id}`)).status).toBe(200);
    }
  });

  it('a run is shown as failed with the reason, and its experiment opens', async () => {
    const { id, runs } = playExperiment(rig);
    spoil('UPDATE runs SET attempt = 900719925474099 WHERE id = :id', { id: runs[0]!.id });
    spoil("UPDATE run_results SET body_packed = x'00' WHERE run_id = :id", { id: runs[1]!.id });
    const { status, body } = await rig.api(`/experiments/${id}`);
    expect(status).toBe(200);
    const [first, second] = (body as { runs: { status: string; failure: { message: string } | null }[] })
      .runs;
    expect(first).toMatchObject({ status: 'failed', flagged: true, metrics: {} });
    expect(first?.failure?.message).toMatch(/attempt/);
    expect(second?.status).toBe('done');
    expect((await rig.api(`/runs/${runs[1]!.id}`)).status).toBe(409);
    expect((await rig.api(`/compare?experiments=${id}`)).status).toBe(200);
    expect((await rig.api(`/experiments/${id}/stored.ndjson`)).status).toBe(200);
  });

  it('a study of a user is listed as damaged in the gallery, exported as stored, and deleted', async () => {
    spoil(`INSERT INTO own_studies (id, file_json, created_at) VALUES ('bad', '{"title":""}', 1)`);
    const items = async () => ((await rig.api('/studies')).body as StudyList).items;
    expect((await items()).at(-1)).toMatchObject({ id: 'bad', broken: expect.any(String), parts: [] });
    expect((await rig.api('/studies/bad/study.json')).text).toBe('{"title":""}');
    expect((await rig.api('/studies/bad', { method: 'DELETE' })).status).toBe(204);
    expect((await items()).some(({ id }) => id === 'bad')).toBe(false);
  });
});

describe('invalid rows are never stored', () => {
  it('an experiment without a name becomes a study with one', async () => {
    for (const name of ['', '   ']) {
      const { id } = playExperiment(rig, { repetitions: 2 });
      rig.experiments.updateExperiment(id, { name });
      const { status, body } = await post('/studies', { experimentIds: [id], title: 'Ours' });
      expect(status).toBe(201);
      expect(body).toMatchObject({ parts: [{ title: `Experiment ${id}` }] });
      expect((await rig.api('/studies')).status).toBe(200);
    }
  });

  it('links that end after the last date are refused', async () => {
    const { id } = playExperiment(rig);
    const make = (expiresAt: number) => post('/shares', { kind: 'experiment', experimentId: id, expiresAt });
    const refused = await make(1e16);
    expect(refused.status).toBe(422);
    expect((refused.body as Problem).issues[0]).toMatchObject({
      field: 'expiresAt',
      reason: expect.stringMatching(/before the year/),
    });
  });
});
