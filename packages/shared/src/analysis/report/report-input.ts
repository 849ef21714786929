import { isFlaggedFor, isFlaggedForId } from '../../catalogue/flags.ts';
import type { Plan } from '../../domain/plans/plan.ts';
import type { Report } from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import type { Series } from '../../domain/runs/role-result.ts';
import type { RunSummary } from '../../domain/runs/run.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { levelOf, treatmentsOfRuns } from '../counting-runs.ts';
import { type RunValue, runValues } from '../run-values.ts';
import { type ReportRunData, RunParts, type RunRemains } from './add-up-runs.ts';

/** A metric of one role. */
interface SeriesChoice {
  role: string;
  metric: string;
}

/**
 * Everything a report is made of. An experiment may have thousands of runs, so that only their summaries are in memory:
 * results and series are read when they are needed.
 */
export interface ReportInput {
  experiment: Report['experiment'];
  plan: Plan;
  /** Every attempt. */
  runs: readonly RunSummary[];
  /** Of the runs that count, flagged ones included, in the order of `runs`. Read once. */
  data: Iterable<ReportRunData>;
  /** Series of these runs, devices of a run one after the other. */
  series(runIds: readonly number[], which: SeriesChoice): Iterable<{ runId: number; series: Series }>;
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
  parts: RunParts;
  dataOf(runId: number): RunRemains | undefined;
  /** Stored series of a run, one for each device. */
  seriesOf(runId: number, which: SeriesChoice): readonly Series[];
  baselineId: string;
}

export function makeContext(input: ReportInput): ReportContext {
  const { plan } = input;
  const baseline = plan.treatments.find(({ key }) => key === plan.baselineKey) ?? plan.treatments[0];
  const all = treatmentsOfRuns(input.experiment.id, plan, input.runs);
  const treatmentsFor = (metric: string) =>
    all.map((entry) => ({
      ...entry,
      runs: entry.runs.filter((run) => input.takesFlagged || !isFlaggedForId(run, metric)),
    }));
  const parts = new RunParts({
    latency: treatmentOfRuns(treatmentsFor('latency.p50')),
    phases: treatmentOfRuns(treatmentsFor('setUp.total')),
    // Packets are flagged where their bytes are: a busy CPU changes neither.
    captured: treatmentOfRuns(treatmentsFor('wire.perMessage')),
  });
  for (const data of input.data) parts.add(data);
  const series = new SeriesReader(input, all);
  return {
    input,
    plan,
    all,
    treatmentsFor,
    level: levelOf(plan),
    parts,
    dataOf: (runId) => parts.of(runId),
    seriesOf: (runId, which) => series.of(runId, which),
    baselineId: baseline?.key ?? '',
  };
}

function treatmentOfRuns(treatments: readonly ComparedTreatment[]): Map<number, string> {
  return new Map(treatments.flatMap(({ id, runs }) => runs.map(({ runId }) => [runId, id])));
}

/** A treatment and its baseline. */
const treatmentsInMemory = 2;

/** Reads a kind of series for all runs of a treatment at once, and remembers those of the treatments used last. */
class SeriesReader {
  readonly #input: ReportInput;
  readonly #treatments: Map<number, ComparedTreatment>;
  readonly #pages = new Map<string, Map<number, Series[]>>();

  constructor(input: ReportInput, treatments: readonly ComparedTreatment[]) {
    this.#input = input;
    this.#treatments = new Map(treatments.flatMap((one) => one.runs.map(({ runId }) => [runId, one])));
  }

  of(runId: number, { role, metric }: SeriesChoice): readonly Series[] {
    const treatment = this.#treatments.get(runId);
    if (!treatment) return [];
    const key = `${role} ${metric} ${treatment.id}`;
    const page = this.#pages.get(key) ?? this.#read(treatment, { role, metric });
    // Last used, last removed.
    this.#pages.delete(key);
    this.#pages.set(key, page);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > treatmentsInMemory && oldest !== undefined) this.#pages.delete(oldest);
    return page.get(runId) ?? [];
  }

  #read({ runs }: ComparedTreatment, which: SeriesChoice): Map<number, Series[]> {
    const page = new Map<number, Series[]>();
    const runIds = runs.map(({ runId }) => runId);
    for (const { runId, series } of this.#input.series(runIds, which)) {
      const known = page.get(runId);
      if (known) known.push(series);
      else page.set(runId, [series]);
    }
    return page;
  }
}

/** Whether some run that counts has a value of the metric. */
export function isMeasuredIn({ all, input }: ReportContext, metric: MetricDefinition): boolean {
  return all.some(({ runs }) =>
    runs.some(
      (run) => Number.isFinite(run.metrics[metric.id]) && (input.takesFlagged || !isFlaggedFor(run, metric)),
    ),
  );
}

/** What the Runs of a Treatment that count say of a metric. */
export function valuesIn(
  { input }: ReportContext,
  treatment: ComparedTreatment,
  { id }: Pick<MetricDefinition, 'id'>,
): RunValue[] {
  return runValues(treatment, { metric: id, flagged: input.takesFlagged });
}
