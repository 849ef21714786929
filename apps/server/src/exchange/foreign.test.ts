import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { ForeignImport } from '@mqttlab/shared/messages/foreign';
import type { ExperimentList, Problem } from '@mqttlab/shared/messages/http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiRig, startApiRig } from '../api/testing/api-rig.ts';
import { type BundledExperiment, bundleFiles } from './bundle-format.ts';
import { openZip } from './read-zip.ts';
import { exportBundle, importBundle, packBundle } from './testing/pack-bundle.ts';

const runsOf = (treatment: string, values: readonly number[]) =>
  values.map((value, index) => ({
    treatment,
    startedAt: 1_763_820_000_000 + index * 60_000,
    metrics: { 'latency.p50': value, 'rate.messages': 100 },
  }));

const measured = {
  name: 'Two brokers',
  tool: 'my-script',
  source: 'results.csv',
  runs: [...runsOf('EMQX', [2, 2.1, 2.05, 1.95]), ...runsOf('Mosquitto', [1, 1.1, 1.05, 0.95])],
};
const marked = { foreign: { tool: 'my-script', source: 'results.csv' } };

let rig: ApiRig;
let made: ExperimentDetail;
beforeAll(async () => {
  rig = await startApiRig();
  const { status, body } = await send(measured);
  expect(status).toBe(201);
  made = body;
});
afterAll(() => rig.stop());

async function send(body: unknown) {
  const answer = await rig.api('/experiments/import-foreign', { method: 'POST', body });
  return { status: answer.status, body: answer.body as ExperimentDetail, problem: answer.body as Problem };
}
const get = async <T>(path: string): Promise<T> => (await rig.api(path)).body as T;

describe('measurements of another tool', () => {
  it('are a finished experiment without verdicts, compared as independent runs', async () => {
    expect(made).toMatchObject({
      status: 'done',
      imported: marked,
      progress: { trials: 8, done: 8, flagged: 0 },
    });
    expect(made.headline?.who).toContain('Mosquitto');
    expect(made.headline?.outcome).toBe('resolved');
    const run = await get<RunDetail>(`/runs/${made.runs[0]!.id}`);
    expect(run).toMatchObject({ verdicts: [], results: [], metrics: { 'latency.p50': 2 } });
    const contrasts = (await rig.api(`/experiments/${made.id}/contrasts.csv`)).text;
    expect(contrasts).toContain('Welch');
    expect(contrasts).not.toContain('paired by');
  });

  it('are marked in list, experiment, run, comparison, report, share, exports and bundle', async () => {
    const { id } = made;
    const list = await get<ExperimentList>('/experiments');
    expect(list.items.find((item) => item.id === id)?.imported).toMatchObject(marked);
    expect(await get<RunDetail>(`/runs/${made.runs[0]!.id}`)).toMatchObject(marked);
    const { experiments } = await get<Comparison>(`/compare?experiments=${id}`);
    expect(experiments[0]).toMatchObject(marked);
    const html = (await rig.api(`/experiments/${id}/report.html`)).text;
    expect(html).toContain('Foreign: measured with my-script');
    expect(html).toContain('no verdict checked them');
    // Unknown settings are not stated.
    expect(html).not.toMatch(/on testbed|Warm-up|Samples/);
    const share = await rig.api('/shares', {
      method: 'POST',
      body: { kind: 'experiment', experimentId: id },
    });
    const { token } = share.body as { token: string };
    const shared = await get<{ content: { experiment: ExperimentDetail } }>(`/shared/${token}`);
    expect(shared.content.experiment.imported).toMatchObject(marked);
    for (const file of ['runs.csv', 'values.csv', 'contrasts.csv', 'runs.json', 'bundle.zip']) {
      const { headers } = await rig.api(`/experiments/${id}/${file}`);
      expect(headers.get('content-disposition'), file).toContain('-foreign-');
    }
    const [head = '', ...rows] = (await rig.api(`/experiments/${id}/values.csv`)).text.trim().split('\n');
    expect(head.trim().split(',').at(-1)).toBe('foreign');
    expect(rows.every((row) => row.trim().endsWith(',my-script'))).toBe(true);
  });

  it('cannot be cloned or changed: their settings are unknown', async () => {
    for (const action of ['clone', 'start', 'rerun-flagged']) {
      const { status } = await rig.api(`/experiments/${made.id}/actions/${action}`, { method: 'POST' });
      expect([action, status]).toEqual([action, 409]);
    }
  });

  it('stay foreign in a bundle, which cannot state verdicts for them', async () => {
    const packed = await exportBundle(rig, made.id);
    const zip = await openZip(packed, packed.length);
    const names = [bundleFiles.experiment, bundleFiles.plan];
    const files = new Map(
      await Promise.all(names.map(async (name) => [name, (await zip.read(name)).toString()] as const)),
    );
    zip.close();
    expect(JSON.parse(files.get(bundleFiles.experiment)!)).toMatchObject({ bundleVersion: 2 });
    const { status, body } = await importBundle(rig, await packBundle(files));
    expect([status, body.imported]).toEqual([201, expect.objectContaining(marked)]);
    const importChanged = async (edit: (experiment: BundledExperiment) => void) => {
      const experiment = JSON.parse(files.get(bundleFiles.experiment)!) as BundledExperiment;
      edit(experiment);
      const changed = new Map([...files, [bundleFiles.experiment, JSON.stringify(experiment)]]);
      return importBundle(rig, await packBundle(changed));
    };
    const judged = await importChanged(({ runs }) => {
      const verdict = { id: 'nothing-lost', label: 'Nothing lost', status: 'passed', evidence: '' } as const;
      runs[0]!.verdicts = [{ ...verdict, affects: [] }] as unknown as (typeof runs)[0]['verdicts'];
    });
    expect(judged.status).toBe(422);
    const unmarked = await importChanged((experiment) => delete experiment.foreign);
    expect([unmarked.status, unmarked.body.issues[0]?.field]).toEqual([422, 'run 1: results']);
  });
});

describe('an import is refused with the field', () => {
  const first = measured.runs[0]!;
  it.each<[string, Partial<ForeignImport>, string]>([
    [
      'of an unknown metric',
      { runs: [{ ...first, metrics: { 'latency.p51': 1 } }] },
      'runs[0].metrics.latency.p51',
    ],
    [
      'of an impossible value',
      { runs: [{ ...first, metrics: { 'latency.p50': -1 } }] },
      'runs[0].metrics.latency.p50',
    ],
    ['of a run without a value', { runs: [{ ...first, metrics: {} }] }, 'runs[0].metrics'],
    ['of a response that no run has', { response: 'latency.p99' }, 'response'],
    ['of an unknown baseline', { baseline: 'HiveMQ' }, 'baseline'],
    ['of an empty list', { runs: [] }, 'runs'],
  ])('%s', async (_, change, field) => {
    const before = (await get<ExperimentList>('/experiments')).total;
    const { status, problem } = await send({ ...measured, ...change });
    expect([status, problem.issues[0]?.field]).toEqual([422, field]);
    expect(problem.issues[0]?.remedy).not.toBe('');
    expect((await get<ExperimentList>('/experiments')).total).toBe(before);
  });
});
