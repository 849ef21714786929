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
 * Input of a report. An experiment may have thousands of runs, so only their summaries are in memory. Results
 * and series are read when they are needed.
 */
export interface ReportInput {
  experiment: Report['experiment'];
  plan: Plan;
  /** All attempts. */
  runs: readonly RunSummary[];
  /** Results of the runs that count, including flagged runs, in the order of `runs`. Read only once. */
  data: Iterable<ReportRunData>;
  /** Series of these runs, device by device. */
  series(runIds: readonly number[], which: SeriesChoice): Iterable<{ runId: number; series: Series }>;
  /** Includes runs with a failed verdict. */
  takesFlagged: boolean;
  /** Includes the stability analysis, which takes seconds for long runs; only one study needs it. */
  needsStability: boolean;
  software: string;
}

/** The runs that count, grouped by treatment, with settings. */
export interface ReportContext {
  input: ReportInput;
  plan: Plan;
  /** For metrics: all finished runs. A value is excluded if a failed verdict affects its metric. */
  all: ComparedTreatment[];
  /**
   * For series, phases and distributions: the runs that are not flagged for this metric, or all runs on
   * request.
   */
  treatmentsFor(metric: string): ComparedTreatment[];
  /** Level at which intervals over runs cover 95 %. */
  level: number;
  parts: RunParts;
  dataOf(runId: number): RunRemains | undefined;
  /** Stored series of a run, one per device. */
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
    // Packets use the flags of byte metrics, because a busy CPU changes neither.
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

/**
 * Reads a kind of series for all runs of a treatment at once, and caches the most recently used treatments.
 */
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
    // Moves the entry to the end, because the least recently used entry is removed first.
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

/** True if a counting run has a value for the metric. */
export function isMeasuredIn({ all, input }: ReportContext, metric: MetricDefinition): boolean {
  return all.some(({ runs }) =>
    runs.some(
      (run) => Number.isFinite(run.metrics[metric.id]) && (input.takesFlagged || !isFlaggedFor(run, metric)),
    ),
  );
}

/** Estimates a metric over the runs of a treatment that count. */
export function valuesIn(
  { input }: ReportContext,
  treatment: ComparedTreatment,
  { id }: Pick<MetricDefinition, 'id'>,
): RunValue[] {
  return runValues(treatment, { metric: id, flagged: input.takesFlagged });
}
