import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { ExperimentList } from '@mqttlab/shared/messages/http';
import type { SignerList } from '@mqttlab/shared/messages/signers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiRig, startApiRig } from '../api/testing/api-rig.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { type BundledExperiment, type BundledRun, bundleFiles, runFileOf } from './bundle-format.ts';
import { openZip } from './read-zip.ts';
import { exportBundle, importBundle, packBundle } from './testing/pack-bundle.ts';

let rig: ApiRig;
let files: Map<string, string>;
let runIds: number[];

beforeAll(async () => {
  rig = await startApiRig();
  const { id, runs } = playExperiment(rig, { repetitions: 2 }, (treatment, block) => ({
    latencyMs: 1 + treatment + block / 30,
  }));
  runIds = runs.map((run) => run.id);
  const packed = await exportBundle(rig, id);
  const zip = await openZip(packed, packed.length);
  const names = [bundleFiles.experiment, bundleFiles.plan, ...runs.map((run) => runFileOf(run.id))];
  files = new Map(
    await Promise.all(names.map(async (name) => [name, (await zip.read(name)).toString()] as const)),
  );
  zip.close();
});
afterAll(() => rig.stop());

/** Files with an altered experiment; checksums and signature match again. */
function forged(change: (experiment: BundledExperiment) => void): Map<string, string> {
  const experiment = JSON.parse(files.get(bundleFiles.experiment)!) as BundledExperiment;
  change(experiment);
  return new Map([...files, [bundleFiles.experiment, JSON.stringify(experiment)]]);
}

const triple = (experiment: BundledExperiment): void => {
  const { metrics } = experiment.runs[0]!;
  metrics['latency.p50'] = (metrics['latency.p50'] ?? 0) * 3;
};

const take = async (content: ReadonlyMap<string, string>, query?: string) =>
  importBundle(rig, await packBundle(content), query);

const get = async <T>(path: string): Promise<T> => (await rig.api(path)).body as T;
const countExperiments = async () => (await get<ExperimentList>('/experiments')).total;

describe('a bundle whose figures do not match its evidence', () => {
  it('is refused with run, metric, stated and computed value, although checksums and signature match', async () => {
    const before = await countExperiments();
    const real = rig.runs.findRun(runIds[0]!)!.metrics['latency.p50']!;
    const { status, body } = await take(forged(triple));
    expect(status).toBe(422);
    const fields = body.issues.map(({ field }) => field);
    expect(fields).toContain('run 1: latency.p50');
    const reasons = body.issues.map(({ reason }) => reason).join('\n');
    expect(reasons).toContain(String(real * 3));
    expect(reasons).toContain(String(real));
    expect(await countExperiments()).toBe(before);
  });

  it.each<[string, string, (experiment: BundledExperiment, result: BundledRun) => void]>([
    [
      'a percentile above P95',
      'run 1: latency.p75',
      ({ runs: [run] }) => {
        run!.metrics['latency.p95'] = 0.0001;
      },
    ],
    [
      'a negative count',
      'run 1: count.lost',
      ({ runs: [run] }) => {
        run!.metrics['count.lost'] = -1;
      },
    ],
    [
      'a failed check that is hidden',
      'run 1: flagged',
      ({ runs: [run] }) => {
        run!.flagged = true;
      },
    ],
    [
      'a negative duration',
      'runs/run-1.json: results[1].result.phases[0].durationUs',
      (_, { results }) => {
        results.find(({ result }) => result.role === 'publisher')!.result.phases[0]!.durationUs = -5;
      },
    ],
    [
      'a distribution with fewer values than it states',
      'run 1: subscriber',
      (_, { results }) => {
        results.find(({ result }) => result.role === 'subscriber')!.result.latency!.count += 7;
      },
    ],
  ])('is refused: %s', async (_name, field, change) => {
    const path = runFileOf(runIds[0]!);
    const result = JSON.parse(files.get(path)!) as BundledRun;
    const content = forged((experiment) => change(experiment, result));
    content.set(path, JSON.stringify(result));
    const { status, body } = await take(content);
    expect(
      [status, body.issues?.some((issue) => issue.field.startsWith(field))],
      JSON.stringify(body.issues),
    ).toEqual([422, true]);
  });

  it('is refused if a run has figures, but no results', async () => {
    const content = new Map(files);
    content.delete(runFileOf(runIds[1]!));
    const { status, body } = await take(content);
    expect([status, body.issues[0]?.field]).toEqual([422, 'run 2: results']);
  });

  it('of more messages received at QoS 2 than were sent is refused', async () => {
    const path = runFileOf(runIds[0]!);
    const result = JSON.parse(files.get(path)!) as BundledRun;
    for (const { result: one } of result.results)
      if (one.counters && one.role === 'subscriber') one.counters.received = 9999;
    const plan = JSON.parse(files.get(bundleFiles.plan)!);
    for (const treatment of plan.treatments) treatment.spec.qos = 2;
    const content = new Map([
      ...files,
      [path, JSON.stringify(result)],
      [bundleFiles.plan, JSON.stringify(plan)],
    ]);
    const { status, body } = await take(content);
    expect([status, body.issues.map(({ field }) => field)]).toEqual([
      422,
      expect.arrayContaining(['run 1: received']),
    ]);
  });

  it('is imported on request, and marked in list, experiment, runs, comparison, report, link, exports', async () => {
    const { status, body } = await take(forged(triple), '?altered=accept');
    expect(status).toBe(201);
    const altered = {
      values: expect.any(Number),
      runs: 1,
      examples: expect.arrayContaining([expect.stringMatching(/run 1, latency\.p50: is stated as/)]),
    };
    const marked = { altered };
    expect(body.imported).toMatchObject(marked);
    const { id } = body;
    const list = await get<ExperimentList>('/experiments');
    expect(list.items.find((item) => item.id === id)?.imported).toMatchObject(marked);
    expect((await get<ExperimentDetail>(`/experiments/${id}`)).imported).toMatchObject(marked);
    expect(await get<RunDetail>(`/runs/${body.runs[1]!.id}`)).toMatchObject(marked);
    const { experiments } = await get<Comparison>(`/compare?experiments=${id}`);
    expect(experiments[0]).toMatchObject(marked);
    const report = await get<{ experiment: unknown }>(`/experiments/${id}/report`);
    expect(report.experiment).toMatchObject({ imported: marked });
    expect((await rig.api(`/experiments/${id}/report.html`)).text).toContain('Altered: ');
    const exported = JSON.parse((await rig.api(`/experiments/${id}/runs.json`)).text);
    expect(exported.experiment).toMatchObject(marked);
    expect((await rig.api(`/experiments/${id}/runs.csv`)).headers.get('content-disposition')).toContain(
      'altered',
    );
    const share = (
      await rig.api('/shares', { method: 'POST', body: { kind: 'experiment', experimentId: id } })
    ).body as { token: string };
    const shared = await get<{ content: { experiment: ExperimentDetail } }>(`/shared/${share.token}`);
    expect(shared.content.experiment.imported).toMatchObject(marked);
    const packed = await exportBundle(rig, id);
    const zip = await openZip(packed, packed.length);
    expect(JSON.parse((await zip.read(bundleFiles.experiment)).toString())).toMatchObject(marked);
    zip.close();
  });
});

describe('an unaltered bundle', () => {
  it('is imported without a mark, its signer unknown until it is trusted', async () => {
    const before = (await take(files)).body;
    expect(before.imported?.altered).toBeUndefined();
    expect(before.imported?.from).toMatch(/signed by SHA256:\S+ \(unknown signer\)$/);
    const fingerprint = /SHA256:\S+/.exec(before.imported!.from)![0];
    expect((await get<SignerList>('/signers')).unknown).toMatchObject([
      { fingerprint, lastExperiment: { id: before.id, name: before.name } },
    ]);
    const added = await rig.api('/signers', { method: 'POST', body: { name: 'Lab of Ada', fingerprint } });
    expect(added.status).toBe(201);
    expect((await take(files)).body.imported?.from).toContain(`${fingerprint} (Lab of Ada)`);
    const { id } = added.body as { id: number };
    expect((await rig.api(`/signers/${id}`, { method: 'DELETE' })).status).toBe(204);
    const { items, unknown } = await get<SignerList>('/signers');
    expect([items, unknown.map((signer) => signer.fingerprint)]).toEqual([[], [fingerprint]]);
    expect((await take(files)).body.imported?.from).toContain('unknown signer');
  });

  it('with definitions of another version is not compared, and is recomputed here', async () => {
    const { status, body } = await take(
      forged((experiment) => {
        experiment.definitions = 1;
        triple(experiment);
      }),
    );
    // Impossible values are still detected.
    expect([status, body.issues?.every(({ reason }) => reason.includes('above'))]).toEqual([422, true]);
    const slight = await take(
      forged((experiment) => {
        experiment.definitions = 1;
        experiment.runs[0]!.metrics['latency.p50']! *= 1.0001;
      }),
    );
    expect(slight.status).toBe(201);
    expect(rig.runs.findEarliestDefinitions(slight.body.id)).toBe(1);
  });
});
