import type { Contrast } from '@mqttlab/shared/analysis/contrasts';
import { treatmentsOfRuns } from '@mqttlab/shared/analysis/counting-runs';
import { judgeStopping } from '@mqttlab/shared/analysis/judge-stopping';
import { judgeThresholds } from '@mqttlab/shared/analysis/judge-thresholds';
import { type Result, resultOf } from '@mqttlab/shared/analysis/result';
import { usualBaseline, usualResponse } from '@mqttlab/shared/analysis/run-values';
import { findMetric } from '@mqttlab/shared/catalogue/metrics';
import { reportSchema } from '@mqttlab/shared/domain/report/report';
import { type Comparison, comparisonSchema } from '@mqttlab/shared/domain/runs/comparison';
import { type ExperimentDetail, experimentDetailSchema } from '@mqttlab/shared/domain/runs/experiment';
import { shareSchema } from '@mqttlab/shared/messages/shares';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { callCli } from '../../../cli/src/testing/call-cli.ts';
import type { ResultShape } from '../testing/result-factory.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { makeMessage } from '../webhooks/watch-events.ts';
import { type ApiRig, startApiRig } from './testing/api-rig.ts';

let rig: ApiRig;
beforeEach(async () => {
  rig = await startApiRig();
});
afterEach(() => rig.stop());

type Shape = (treatment: number, block: number) => Omit<ResultShape, 'spec'> | null;

const uneven = (treatment: number, block: number) =>
  (1 + 0.2 * treatment) * (1 + 0.3 * block) * (1 + 0.02 * Math.sin(7 * treatment + 3 * block));

/** Treatments: plain, AES and ChaCha20 at QoS 0 and 1. */
const cases: readonly { name: string; repetitions: number; shape: Shape }[] = [
  { name: 'all valid', repetitions: 5, shape: (t, b) => ({ latencyMs: uneven(t, b) }) },
  {
    name: 'with flagged runs',
    repetitions: 5,
    shape: (t, b) => ({ latencyMs: uneven(t, b), ...(t % 2 === 1 && b === 2 ? { lost: 40 } : {}) }),
  },
  {
    name: 'with missing cells',
    repetitions: 5,
    shape: (t, b) => ((t === 2 && b < 3) || (t === 4 && b === 5) ? null : { latencyMs: uneven(t, b) }),
  },
  { name: 'one repetition', repetitions: 1, shape: (t, b) => ({ latencyMs: uneven(t, b) }) },
  { name: 'two repetitions', repetitions: 2, shape: (t, b) => ({ latencyMs: uneven(t, b) }) },
  {
    name: 'a treatment without any run',
    repetitions: 3,
    shape: (t, b) => (t === 3 ? null : { latencyMs: uneven(t, b) }),
  },
];

/** Text of a contrast, in any document. */
function published({
  value,
  lo,
  hi,
  p,
  outcome,
  inUnits,
}: Pick<Contrast, 'value' | 'lo' | 'hi' | 'p' | 'outcome' | 'inUnits'>) {
  return { value, lo, hi, p, outcome, inUnits };
}

function resultFrom(treatments: Comparison['treatments'], baselineId: string, response: string): Result {
  const metric = findMetric(response);
  if (!metric) throw new Error(response);
  return resultOf({ treatments, baselineId, metric, flagged: false });
}

async function print(id: number): Promise<string> {
  const argv = ['show', `E-${id}`, '--server', rig.origin];
  const { code, said } = await callCli(argv, { env: {}, columns: 400 });
  expect(code).toBe(0);
  return said;
}

it.each(cases)('$name: ten outputs agree', async ({ name, repetitions, shape }) => {
  const { id, plan } = playExperiment(
    rig,
    {
      repetitions,
      factors: {
        security: ['plain', 'TLS 1.3'],
        cipherSuite: ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
        qos: [0, 1],
      },
      thresholds: [{ metric: 'latency.p50', atMost: 150, of: 'baseline' }],
      ...(repetitions >= 5 ? { stopping: { metric: 'latency.p50', targetPercent: 5, atLeast: 5 } } : {}),
    },
    shape,
  );
  const { response } = plan;
  const get = async (path: string) => (await rig.api(path)).body;

  // The experiment page.
  const experiment: ExperimentDetail = experimentDetailSchema.parse(await get(`/experiments/${id}`));
  expect(experiment.progress.flagged > 0).toBe(name === 'with flagged runs');
  const page = resultFrom(treatmentsOfRuns(id, plan, experiment.runs), plan.baselineKey, response);
  const sentences = page.findings.map(({ text }) => text);
  expect(sentences.length).toBeGreaterThan(0);

  // The list.
  const { headline } = experiment;
  expect(headline?.sentence).toBe(page.lead?.sentence);
  expect(headline).toMatchObject({ figure: page.lead?.figure, value: page.lead?.contrast.value });
  expect([headline?.lo, headline?.hi, headline?.p]).toEqual(
    page.lead && [page.lead.contrast.lo, page.lead.contrast.hi, page.lead.contrast.p],
  );

  // Compare.
  const comparison = comparisonSchema.parse(await get(`/compare?experiments=${id}`));
  expect(usualResponse(comparison)).toBe(response);
  const compared = resultFrom(comparison.treatments, usualBaseline(comparison), response);
  expect(compared.findings.map(({ text }) => text)).toEqual(sentences);
  expect(compared.contrasts.map(published)).toEqual(page.contrasts.map(published));
  expect(compared.estimates.map(({ estimate }) => estimate)).toEqual(
    page.estimates.map(({ estimate }) => estimate),
  );

  // The report.
  const report = reportSchema.parse(await get(`/experiments/${id}/report`));
  const reported = report.responses.find(({ metric }) => metric === response);
  const interactions =
    reported?.findings.filter(({ text }) => /interaction|depend on each other/.test(text)) ?? [];
  expect(reported?.findings.map(({ text }) => text)).toEqual([
    ...sentences,
    ...interactions.map(({ text }) => text),
  ]);
  expect(reported?.contrasts.map(published)).toEqual(page.contrasts.map(published));
  expect(reported?.estimates.map(({ mean, lo, hi }) => [mean, lo, hi])).toEqual(
    page.estimates.map(({ estimate: { value, lo, hi } }) => [value, lo, hi]),
  );

  // A share link.
  const share = shareSchema.parse(
    (await rig.api('/shares', { method: 'POST', body: { kind: 'experiment', experimentId: id } })).body,
  );
  const shared = (await get(`/shared/${share.token}`)) as { content: { comparison: Comparison } };
  const sharedResult = resultFrom(
    shared.content.comparison.treatments,
    usualBaseline(shared.content.comparison),
    response,
  );
  expect(sharedResult.findings.map(({ text }) => text)).toEqual(sentences);

  // A webhook.
  const message = makeMessage(
    { event: 'experiment.done', at: 0, experiment },
    { origin: null, findExperiment: () => null },
  );
  expect(message.experiment?.finding).toBe(page.lead?.sentence);

  // Thresholds.
  for (const { treatment, value, lo, hi } of judgeThresholds(plan, comparison)) {
    const own = page.contrasts.find((one) => one.treatment.treatment.key === treatment.treatment.key);
    const percent = (ratio: number | null | undefined) =>
      ratio === null || ratio === undefined ? null : ratio * 100;
    expect([value, lo, hi]).toEqual([percent(own?.value), percent(own?.lo), percent(own?.hi)]);
  }

  // Adaptive stopping.
  const stopping = judgeStopping(plan, experiment.runs, repetitions);
  if (stopping) {
    const widths = page.estimates.map(({ estimate }) => estimate.relHalfWidth);
    expect(stopping.widest).toBe(
      widths.includes(null) ? null : Math.max(...widths.map((width) => width ?? 0)),
    );
  }

  // The command line.
  const printed = await print(id);
  for (const sentence of sentences) expect(printed).toContain(sentence);

  // Exports.
  const exported = (await get(`/experiments/${id}/runs.json`)) as {
    findings: { metric: string; findings: { text: string }[] }[];
  };
  expect(exported.findings[0]?.metric).toBe(response);
  expect(exported.findings[0]?.findings.map(({ text }) => text)).toEqual(sentences);
  const { text: csv } = await rig.api(`/experiments/${id}/contrasts.csv`);
  const rows = csv.split('\r\n').filter((row) => row.startsWith(`${response},`));
  expect(rows).toHaveLength(page.contrasts.length);
  for (const [index, { value, lo, hi }] of page.contrasts.entries()) {
    for (const figure of [value, lo, hi]) if (figure !== null) expect(rows[index]).toContain(String(figure));
  }

  // No positive quantity has an interval below zero, in any output.
  for (const { estimates, metric } of report.responses) {
    if (findMetric(metric)?.quantity === 'signed') continue;
    for (const { lo } of estimates) if (lo !== null) expect(lo, metric).toBeGreaterThanOrEqual(0);
  }
  // A claim requires its interval and the adjusted p.
  for (const { kind, text } of page.findings) {
    if (kind !== 'resolved')
      expect(text).not.toMatch(/(higher|lower|more|less|longer|shorter|fewer) (median|at|than)/);
  }
});
