import { afterEach, beforeEach, expect, it } from 'vitest';
import { playExperiment } from '../testing/stores-factory.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

const latencyOf = (treatment: number, block: number) => 1 + treatment + (block === 2 ? 5 : 0);

it('leaves an excluded run out of headline and comparison, keeps it visible, and includes it again', async () => {
  const { id, runs } = playExperiment(rig, { repetitions: 3 }, (treatment, block) => ({
    latencyMs: latencyOf(treatment, block) + (treatment === 2 && block === 2 ? 7 : 0),
  }));
  const before = rig.experiments.findExperimentSummary(id)?.headline;
  const odd = runs.find((run) => run.block === 2 && run.metrics['latency.p50']! > 12)!;

  const answer = await rig.api(`/runs/${odd.id}`, {
    method: 'PATCH',
    body: {
      notes: 'door slammed',
      tags: ['odd', 'odd', 'door'],
      exclusion: { reason: 'the bench was moved' },
    },
  });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({
    notes: 'door slammed',
    tags: ['odd', 'door'],
    exclusion: { reason: 'the bench was moved' },
    metrics: odd.metrics,
    flagged: false,
  });
  const { body } = await rig.api(`/compare?experiments=${id}`);
  expect(body).toMatchObject({ excludedRuns: [{ runId: odd.id, reason: 'the bench was moved' }] });
  const compared = (body as { treatments: { runs: { runId: number }[] }[] }).treatments;
  expect(compared.flatMap((treatment) => treatment.runs).map(({ runId }) => runId)).not.toContain(odd.id);
  expect(rig.experiments.findExperimentSummary(id)?.headline?.value).not.toBeCloseTo(before!.value!, 3);
  expect(
    rig.experiments.findExperimentDetail(id)?.runs.find((run) => run.id === odd.id)?.exclusion,
  ).not.toBeNull();

  await rig.api(`/runs/${odd.id}`, { method: 'PATCH', body: { exclusion: null } });
  expect(rig.experiments.findExperimentSummary(id)?.headline).toEqual(before);
  expect(rig.runs.findRun(odd.id)).toMatchObject({
    exclusion: null,
    notes: 'door slammed',
    tags: ['odd', 'door'],
  });
});

it('requires a reason and a finished run', async () => {
  const { runs } = playExperiment(rig, {}, () => null);
  const patch = (id: number, body: unknown) => rig.api(`/runs/${id}`, { method: 'PATCH', body });
  expect((await patch(runs[0]!.id, { exclusion: { reason: ' ' } })).text).toContain('needs a reason');
  expect(await patch(runs[0]!.id, { exclusion: { reason: 'odd' } })).toMatchObject({ status: 409 });
  expect(await patch(9999, { notes: 'x' })).toMatchObject({ status: 404 });
});
