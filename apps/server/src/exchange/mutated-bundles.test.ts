import type { ExperimentDetail, ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiRig, startApiRig } from '../api/testing/api-rig.ts';
import { ProblemError } from '../base/errors.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { bundleFiles, runFileOf } from './bundle-format.ts';
import { readBundle } from './read-bundle.ts';
import { openZip } from './read-zip.ts';
import { type Mutation, mutationsOf } from './testing/mutate-document.ts';
import { exportBundle, importBundle, packBundle } from './testing/pack-bundle.ts';

/** Number of mutations to try; all of them take some minutes: MQTTLAB_MUTATIONS=1e9. */
const mutations = Number(process.env.MQTTLAB_MUTATIONS ?? 200);
/** Seed of their order, which changes daily. */
const seed = Number(process.env.MQTTLAB_SEED ?? 1);
/** Maximum mutations per bundle, after each was found valid alone. */
const together = 40;

interface Case extends Mutation {
  file: string;
}

let rig: ApiRig;
let files: Map<string, string>;
let cases: Case[];

beforeAll(async () => {
  rig = await startApiRig();
  const { id, runs } = playExperiment(rig, { repetitions: 2 }, (treatment, block) => ({
    latencyMs: 1 + treatment + block / 30,
  }));
  const packed = await exportBundle(rig, id);
  await rig.api(`/experiments/${id}`, { method: 'DELETE' });
  const zip = await openZip(packed, packed.length);
  const names = [bundleFiles.experiment, bundleFiles.plan, ...runs.map((run) => runFileOf(run.id))];
  files = new Map(
    await Promise.all(names.map(async (name) => [name, (await zip.read(name)).toString()] as const)),
  );
  zip.close();
  const mutated = [bundleFiles.experiment, bundleFiles.plan, runFileOf(runs[0]!.id)];
  cases = shuffled(
    mutated.flatMap((file) => mutationsOf(JSON.parse(files.get(file)!)).map((one) => ({ ...one, file }))),
  );
});
afterAll(() => rig.stop());

/** In an order that the seed decides (a linear congruential generator, Numerical Recipes). */
function shuffled<T>(items: readonly T[]): T[] {
  let state = seed >>> 0;
  const keyed = items.map((item) => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return { item, key: state };
  });
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

function packed(chosen: readonly Case[]): Promise<Buffer> {
  const changed = new Map(files);
  for (const { file, apply } of chosen) {
    changed.set(file, JSON.stringify(apply(JSON.parse(changed.get(file)!))));
  }
  return packBundle(changed);
}

/** The error in a bundle before anything of it is stored; null if there is none. */
async function refusalOf(bundle: Buffer): Promise<ProblemError | null> {
  const zip = await openZip(bundle, bundle.length);
  try {
    const { experiment, readRun } = await readBundle(zip);
    for (const { id } of experiment.runs) await readRun(id);
    return null;
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  } finally {
    zip.close();
  }
}

/** Routes that failed, of all that show, export or delete an experiment. */
async function findBroken({ id, runs }: Pick<ExperimentDetail, 'id' | 'runs'>): Promise<string[]> {
  const broken: string[] = [];
  const call = async (path: string, how?: Parameters<ApiRig['api']>[1]) => {
    const answer = await rig.api(path, how);
    if (answer.status >= 500) broken.push(`${how?.method ?? 'GET'} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  const post = (path: string, body?: unknown) => call(path, { method: 'POST', body });
  const runIds = [runs[0]?.id, runs.at(-1)?.id];
  for (const path of [
    '/experiments',
    '/experiments?status=finished',
    `/experiments/${id}`,
    `/experiments/${id}/log`,
    ...['runs.csv', 'runs.json', 'values.csv', 'values.parquet', 'samples.csv', 'samples.parquet'].map(
      (name) => `/experiments/${id}/${name}`,
    ),
    ...['plan.yaml', 'plan.json', 'stored.ndjson', 'report', 'report.json', 'report.html', 'bundle.zip'].map(
      (name) => `/experiments/${id}/${name}`,
    ),
    ...runIds.flatMap((run) => ['', '/raw.json', '/raw.csv', '/log'].map((name) => `/runs/${run}${name}`)),
    ...['', '/series'].map((name) => `/compare${name}?experiments=${id}`),
    `/compare/series?experiments=${id}&metric=cpu&role=publisher&flagged=true`,
    `/compare/window?experiments=${id}&from=0&to=1000`,
  ]) {
    const { status } = await call(path);
    // Imported data is complete: no run of it is reported as damaged.
    if (status === 409) broken.push(`${path}: 409`);
  }
  for (const subject of [
    { kind: 'experiment', experimentId: id },
    { kind: 'run', runId: runIds[0] },
    { kind: 'view', view: `experiments=${id}` },
  ]) {
    const { body } = await post('/shares', subject);
    const { token } = body as { token?: string };
    if (token !== undefined) await call(`/shared/${token}`);
  }
  const made = await post('/studies', { experimentIds: [id], title: 'Of a bundle' });
  await call('/studies');
  const file = made.body as { id?: string };
  if (made.status === 201) {
    await call(`/studies/${file.id}/study.yaml`);
    await call(`/studies/${file.id}`, { method: 'DELETE' });
  }
  const copy = (await post(`/experiments/${id}/actions/clone`)).body as Partial<ExperimentSummary>;
  if (copy.id !== undefined) await call(`/experiments/${copy.id}`, { method: 'DELETE' });
  await call('/shares');
  const gone = await call(`/experiments/${id}`, { method: 'DELETE' });
  if (gone.status !== 204) broken.push(`it was not deleted: ${gone.text}`);
  return broken;
}

/** The mutations that break something, each with the failure. */
async function judge(chosen: readonly Case[]): Promise<string[]> {
  if (chosen.length === 0) return [];
  // Also imports figures that differ from the evidence, to test the pages with them.
  const { status, body } = await importBundle(rig, await packed(chosen), '?altered=accept');
  const names = chosen.map(({ file, name }) => `${file} ${name}`).join(', ');
  const half = Math.ceil(chosen.length / 2);
  const halves = async (): Promise<string[]> => [
    ...(await judge(chosen.slice(0, half))),
    ...(await judge(chosen.slice(half))),
  ];
  // Two mutations may be valid separately but not together, such as a referenced key.
  if (status === 422 && chosen.length > 1) return halves();
  if (status !== 201) return [`${names}: ${status} ${JSON.stringify(body).slice(0, 500)}`];
  const broken = await findBroken(body);
  if (broken.length === 0) return [];
  if (chosen.length === 1) return [`${names}:\n  ${broken.join('\n  ')}`];
  const found = await halves();
  // The failure needs both mutations.
  return found.length > 0 ? found : [`${names}:\n  ${broken.join('\n  ')}`];
}

it('bundles with any number, text or date changed are refused with the field, or work on every page', async () => {
  const failures: string[] = [];
  const valid: Case[] = [];
  let refused = 0;
  let tried = 0;
  for (const one of cases.slice(0, mutations)) {
    if (failures.length >= 20) break;
    tried += 1;
    const refusal = await refusalOf(await packed([one]));
    if (refusal === null) valid.push(one);
    else {
      refused += 1;
      const { status, issues } = refusal.problem;
      const [issue] = issues;
      if (
        status !== 422 ||
        (!issue?.field.startsWith('runs/') &&
          !/^(bundle$|(experiment|plan)\.json: )/.test(issue?.field ?? ''))
      ) {
        failures.push(`${one.file} ${one.name}: ${JSON.stringify(refusal.problem)}`);
      }
    }
    if (valid.length === together) failures.push(...(await judge(valid.splice(0))));
  }
  failures.push(...(await judge(valid)));
  console.log(`${tried} of ${cases.length} mutations, ${refused} refused (seed ${seed})`);
  expect(failures).toEqual([]);
  expect(refused).toBeGreaterThan(10);
}, 3_600_000);
