import type { CapturedRun } from '../../catalogue/evidence/capture-evidence.ts';
import type { RadioResult } from '../../catalogue/evidence/radio-evidence.ts';
import { isFlaggedForId } from '../../catalogue/flags.ts';
import type { Plan } from '../../domain/plans/plan.ts';
import type { Report } from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { HistogramJson, PhaseRecord, RunEnergy, Series } from '../../domain/runs/role-result.ts';
import type { RunSummary } from '../../domain/runs/run.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { levelOf, treatmentsOfRuns } from '../counting-runs.ts';
import { type RunValue, runValues } from '../run-values.ts';

/** What one Run brings besides its metrics. */
export interface ReportRunData {
  runId: number;
  series: readonly { role: string; series: Series }[];
  /** One for each subscriber device. */
  latency: readonly HistogramJson[];
  /** As the publisher saw them. */
  phases: readonly PhaseRecord[];
  /** As every role saw them, its devices together. */
  rolePhases?: readonly { role: string; phases: readonly PhaseRecord[] }[];
  /** Roles of one machine tell the same energy. */
  energy: readonly { role: string; energy: RunEnergy; machine?: string }[];
}

/** Everything a report is made of: plain data, so that a worker can make it. */
export interface ReportInput {
  experiment: Report['experiment'];
  plan: Plan;
  /** Every attempt. */
  runs: readonly RunSummary[];
  /** Of the Runs that count. */
  data: readonly ReportRunData[];
  /** Of devices whose traffic went over WiFi, flagged Runs included: a rate that fell is why they are flagged. */
  radio?: readonly RadioResult[];
  /** Of Runs whose packets were captured and whose bytes count: the first of each Treatment will do. */
  captured?: readonly CapturedRun[];
  /** Runs with a failed verdict are included. */
  takesFlagged: boolean;
  /** Includes the stability of the series, which takes seconds for long runs; one study needs it. */
  asksForStability: boolean;
  software: string;
}

/** The Runs that count, laid out by Treatment, and what goes with them. */
export interface ReportContext {
  input: ReportInput;
  plan: Plan;
  /** For values of metrics: all finished Runs, each value left out where a failed verdict matters for its metric. */
  all: ComparedTreatment[];
  /** For series, phases and distributions: the runs that no failed verdict flags for this metric, or all on request. */
  treatmentsFor(metric: string): ComparedTreatment[];
  /** Level at which every interval over runs is taken, so that it covers 95 %. */
  level: number;
  dataOf(runId: number): ReportRunData | undefined;
  baselineId: string;
}

export function makeContext(input: ReportInput): ReportContext {
  const { plan } = input;
  const data = new Map(input.data.map((entry) => [entry.runId, entry]));
  const baseline = plan.treatments.find(({ key }) => key === plan.baselineKey) ?? plan.treatments[0];
  const all = treatmentsOfRuns(input.experiment.id, plan, input.runs);
  return {
    input,
    plan,
    all,
    treatmentsFor: (metric) =>
      all.map((entry) => ({
        ...entry,
        runs: entry.runs.filter((run) => input.takesFlagged || !isFlaggedForId(run, metric)),
      })),
    level: levelOf(plan),
    dataOf: (runId) => data.get(runId),
    baselineId: baseline?.key ?? '',
  };
}

/** What the Runs of a Treatment that count say of a metric. */
export function valuesIn(
  { input }: ReportContext,
  treatment: ComparedTreatment,
  { id }: Pick<MetricDefinition, 'id'>,
): RunValue[] {
  return runValues(treatment, { metric: id, flagged: input.takesFlagged });
}
