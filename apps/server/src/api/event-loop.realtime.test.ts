import { factors } from '@mqttlab/shared/catalogue/factors';
import { textBounds } from '@mqttlab/shared/domain/bounds';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTestDraft } from '../testing/experiment-factory.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { makeRoutes } from './http-app.ts';
import { type ApiRig, type Call, startApiRig } from './testing/api-rig.ts';
import { type HoldWatch, watchHolds } from './testing/event-loop-holds.ts';

/** Limit for each request in ms, so that others do not wait longer. */
const maxMs = 100;
const long = (characters: number) => 'a long name '.repeat(characters / 12 + 1).slice(0, characters);
const endless = (characters: number) => 'x'.repeat(characters);

let rig: ApiRig;
let holds: HoldWatch;
let experiment: ExperimentDetail;
/** An experiment of many runs. */
let many: number;
const fill: Record<string, string> = {};

beforeAll(async () => {
  rig = await startApiRig({ onDisk: true });
  const { id, plan } = playExperiment(
    rig,
    { name: endless(200), question: long(2000), notes: endless(20_000), repetitions: 30 },
    (treatment, block) => ({ latencyMs: 1 + treatment + block / 30 }),
  );
  const factors = { qos: [0, 1, 2], readingBytes: [10, 100, 1000, 2000, 5000] };
  many = playExperiment(rig, { factors, repetitions: 30 }, (_, block) => ({ latencyMs: block })).id;
  // As in an imported bundle: every text of maximum length.
  const treatments = plan.treatments.map((treatment, i) => ({
    ...treatment,
    label: endless(textBounds.label - 1) + i,
    shortLabel: long(textBounds.label - 1) + i,
    colourLabel: endless(textBounds.label - 1) + i,
    rowLabel: i === 0 ? long(textBounds.label) : endless(textBounds.label),
  }));
  rig.experiments.savePlan(id, { ...plan, name: endless(200), treatments });
  experiment = rig.experiments.findExperimentDetail(id)!;
  for (const run of rig.runs.listRuns(id).slice(0, 3)) {
    rig.runs.updateRun(run.id, {
      notes: endless(20_000),
      tags: Array.from({ length: 20 }, (_, i) => endless(38) + i),
    });
    const verdicts = run.verdicts.map((verdict) => ({ ...verdict, evidence: endless(textBounds.sentence) }));
    rig.runs.saveRunSummary(run.id, { verdicts, metrics: run.metrics, bases: run.bases ?? {} });
  }
  for (let i = 0; i < 200; i += 1) {
    rig.createDraft({ name: endless(200), notes: endless(20_000) });
    const line = { at: i, level: 'info' as const, source: endless(200), text: endless(4000) };
    rig.runs.appendLog({ experimentId: id, runId: null, line });
  }
  const post = async (path: string, body: unknown) => (await rig.api(path, { method: 'POST', body })).body;
  const { token } = (await post('/shares', { kind: 'experiment', experimentId: id })) as { token: string };
  const own = (await post('/studies', { experimentIds: [id], title: endless(120) })) as { id: string };
  await post('/views', { name: endless(120), page: 'compare', state: endless(8000) });
  Object.assign(fill, {
    experiments: String(id),
    runs: String(experiment.runs[0]?.id),
    shared: token,
    studies: own.id,
  });
  holds = watchHolds();
}, 120_000);
afterAll(async () => {
  holds.stop();
  await rig.stop();
});

/** Query strings that make a route do its work. */
const queries: Readonly<Record<string, string>> = {
  '/experiments': '?limit=500',
  '/compare': '?experiments=ID',
  '/compare/series': '?experiments=ID',
  '/compare/window': '?experiments=ID&from=0&to=1000',
  '/experiments/{id}/log': '?limit=5000',
};

/**
 * Returns how long each request holds the event loop, longest first: the minimum of several calls. Some calls include
 * garbage collection, and a busy machine needs more CPU time for the same work, so the minimum is the relevant value.
 */
async function measure(calls: readonly { path: string; how?: Call }[]): Promise<string[]> {
  const rows: [number, string][] = [];
  for (const { path, how } of calls) {
    const answer = await rig.api(path, how);
    expect([path, answer.status < 500], answer.text.slice(0, 300)).toEqual([path, true]);
    // Not the first call, which compiles code.
    let leastMs = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 12 && leastMs > (i < 3 ? maxMs / 2 : maxMs); i += 1) {
      holds.longestMs();
      await rig.api(path, how);
      leastMs = Math.min(leastMs, holds.longestMs());
    }
    rows.push([leastMs, `${how?.method ?? 'GET'} ${path}`]);
  }
  const words = rows.sort(([a], [b]) => b - a).map(([ms, path]) => `${ms.toFixed(0)} ms ${path}`);
  console.log(words.slice(0, 8).join('\n'));
  expect(rows.filter(([ms]) => ms > maxMs)).toEqual([]);
  return words;
}

it('no route blocks the event loop, however long its names and however much data there is', async () => {
  const addresses = makeRoutes(rig.services, rig.server.webhooks)
    .filter(({ method }) => method === 'get')
    .map(({ path }) => {
      const [, kind = ''] = path.split('/');
      const query = (queries[path] ?? '').replace('ID', fill.experiments ?? '');
      return path.replace(/\{\w+\}/, fill[kind] ?? '1') + query;
    });
  expect((await measure(addresses.map((path) => ({ path })))).length).toBeGreaterThan(30);
}, 120_000);

it('nor does a comparison of 450 runs', async () => {
  expect(rig.runs.listRuns(many)).toHaveLength(450);
  await measure([{ path: `/compare?experiments=${many}` }]);
}, 120_000);

it('nor does any request body', async () => {
  const long200 = Array.from({ length: 200 }, (_, i) => endless(190) + i);
  const draft = makeTestDraft({
    name: endless(200),
    notes: endless(20_000),
    factors: Object.fromEntries(factors.map(({ id }) => [id, long200])),
  });
  const post = (path: string, body: unknown) => ({ path, how: { method: 'POST', body } });
  const meter = `time,power\n${Array.from({ length: 1_000_000 }, (_, i) => `${i / 100},${i % 7}`).join('\n')}\n`;
  const textOf = (value: unknown) => JSON.stringify(value);
  await measure([
    post('/plan/check', { draft }),
    post('/plan/check', draft),
    post('/experiments', { draft: { ...draft, factors: {} } }),
    post('/experiments/import', { text: textOf(draft) }),
    post('/experiments/import', { text: `name: ${endless(190_000)}` }),
    post('/experiments/import', { text: `a: ${'['.repeat(90_000)}` }),
    post('/experiments/import', { text: `{${'"x":{'.repeat(100_000)}` }),
    post('/experiments/import', { text: 'x: 1\n'.repeat(40_000) }),
    post('/studies/import', { text: textOf({ kind: 'mqttlab study', id: endless(300_000) }) }),
    post('/shares', { kind: 'view', view: `experiments=${fill.experiments}&x=${endless(7000)}` }),
    post('/shares', { kind: 'view', view: `experiments=${'1,'.repeat(3999)}` }),
    { path: `/experiments?search=${'%25a+'.repeat(40)}` },
    {
      path: `/runs/${fill.runs}/meter?role=publisher`,
      how: { method: 'POST', text: meter, headers: { 'content-type': 'text/csv' } },
    },
  ]);
}, 120_000);
