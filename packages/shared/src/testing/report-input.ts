import type { ReportRunData } from '../analysis/report/add-up-runs.ts';
import type { ReportInput } from '../analysis/report/report-input.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import type { Series } from '../domain/runs/role-result.ts';
import type { RunSummary } from '../domain/runs/run.ts';
import { parsePlan } from '../planning/parse-plan.ts';
import { makeRandom } from '../statistics/randomness/random.ts';
import { makeDraft, makeHistogram, makeTestbed, makeWorkload } from './factories.ts';

export interface RunShape {
  metrics?: Record<string, number | null>;
  /** One sample of the broker's CPU per second. */
  cpu?: readonly number[];
  change?: Partial<RunSummary>;
  data?: Partial<ReportRunData>;
  series?: readonly { role: string; series: Series }[];
}

/** A finished experiment without a database; `shape` defines the values of each run. */
export function makeReportInput(
  shape: (treatment: number, block: number) => RunShape,
  draft: Partial<ExperimentDraft> = {},
  testbed = makeTestbed(),
): ReportInput {
  // Sixty samples, one per second; later samples belong to the drain.
  const workload = makeWorkload({ measureMs: 60_000 });
  const parsed = parsePlan(makeDraft({ workload, ...draft }), testbed);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  const { plan } = parsed;
  const shaped = plan.trials.map(({ number, block, treatmentKey }) => {
    const index = plan.treatments.findIndex(({ key }) => key === treatmentKey);
    return { number, block, treatmentKey, shape: shape(index, block) };
  });
  return {
    experiment: {
      id: 1,
      name: plan.name,
      question: plan.question,
      status: 'done',
      startedAt: 1,
      finishedAt: 2,
      testbedId: 'local',
      notes: '',
      tags: [],
      imported: null,
    },
    plan,
    runs: shaped.map((one) => ({
      id: one.number,
      experimentId: 1,
      trialNumber: one.number,
      block: one.block,
      treatmentKey: one.treatmentKey,
      attempt: 1,
      retryOf: null,
      status: 'done',
      startedAt: 1,
      finishedAt: 2,
      flagged: false,
      failure: null,
      verdicts: [],
      metrics: one.shape.metrics ?? {},
      notes: '',
      tags: [],
      exclusion: null,
      ...one.shape.change,
    })),
    data: shaped.map((one) => ({
      runId: one.number,
      latency: [makeHistogram([100, 200, 300, 400])],
      phases: [],
      energy: [],
      ...one.shape.data,
    })),
    series: (runIds, which) =>
      shaped
        .filter(({ number }) => runIds.includes(number))
        .flatMap(({ number, shape: { cpu, series = cpu ? [brokerCpu(cpu)] : [] } }) =>
          series.flatMap(({ role, series: own }) =>
            role === which.role && own.metric === which.metric ? [{ runId: number, series: own }] : [],
          ),
        ),
    takesFlagged: false,
    needsStability: false,
    software: 'mqttlab test',
  };
}

function brokerCpu(values: readonly number[]) {
  const timesMs = values.map((_, i) => i * 1000);
  return { role: 'broker', series: { metric: 'cpu.process', unit: '%', timesMs, values: [...values] } };
}

/** Uniform in [-0.5, 0.5), deterministic for a seed. */
export function makeNoise(seed: number): () => number {
  const random = makeRandom(seed);
  return () => random.next() / 2 ** 32 - 0.5;
}
