import { capturedRows } from '../../catalogue/evidence/capture-evidence.ts';
import { radioRows } from '../../catalogue/evidence/radio-evidence.ts';
import { metrics } from '../../catalogue/metrics.ts';
import { type Report, reportVersion } from '../../domain/report/report.ts';
import { runName } from '../../domain/runs/run.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { startSentence } from '../../format/unit.ts';
import { stoppingNote } from '../counting-runs.ts';
import { judgeStopping } from '../judge-stopping.ts';
import { nounOf } from '../phrase.ts';
import { bootstrapSeries } from './bootstraps.ts';
import { describeDesign, summariseValidity } from './design.ts';
import { diagnose, minSamples } from './diagnostics.ts';
import { reportEnergy } from './energy-report.ts';
import { rankTreatments } from './pareto-report.ts';
import { isMeasuredIn, makeContext, type ReportContext, type ReportInput } from './report-input.ts';
import { reportStability } from './report-stability.ts';
import { reportResponse } from './response-report.ts';
import { reportLatency, reportPhases, reportRolePhases } from './run-parts.ts';
import { fitSaturations } from './saturation.ts';
import { kindsPresent, reportSeries, type SeriesKind } from './series.ts';

/** Told between the parts: how many of them are made. */
type OnProgress = (done: number, all: number) => void;

/** Everything a report shows, from plan, metrics, series and histograms. Pure; takes seconds for large experiments. */
export function makeReport(input: ReportInput, onProgress: OnProgress = () => {}): Report {
  const context = makeContext(input);
  const { plan } = context;
  const measured = measuredMetrics(context);
  const kinds = kindsPresent(context);
  const all = measured.length + 3 * kinds.length + 1;
  let done = 0;
  const step = <T>(part: T): T => {
    done += 1;
    onProgress(done, all);
    return part;
  };
  const responses = measured.map((metric) =>
    step(reportResponse(context, metric, { isLead: metric.id === plan.response })),
  );
  const series = kinds.map((kind) => step(reportSeries(context, kind)));
  const diagnostics = kinds.flatMap((kind) => step(diagnose(context, kind)));
  const bootstraps = kinds.flatMap((kind) => step(bootstrapSeries(context, kind)));
  const lead = measured.find(({ id }) => id === plan.response) ?? measured[0];
  const { pareto, missing: noFront } = lead ? rankTreatments(context, lead) : { pareto: null, missing: null };
  const { energy, missing: noEnergy } = reportEnergy(context);
  return step({
    version: reportVersion,
    experiment: input.experiment,
    software: input.software,
    design: { ...describeDesign(plan), stopping: describeStopping(input) },
    treatments: plan.treatments.map(({ key, label, shortLabel, colourLabel, rowLabel, mark, levels }) => ({
      key,
      label,
      shortLabel,
      colourLabel,
      rowLabel,
      mark,
      levels,
    })),
    runNames: Object.fromEntries(input.runs.map((run) => [run.id, runName(run)])),
    validity: summariseValidity(input),
    responses,
    latency: reportLatency(context),
    phases: reportPhases(context),
    rolePhases: reportRolePhases(context),
    radio: radioRows(context.parts.radio),
    captured: capturedRows(context.parts.captured, plan.treatments),
    series,
    diagnostics,
    bootstraps,
    saturations: lead ? fitSaturations(context, lead) : [],
    pareto,
    energy,
    // The studies, which this package does not know, judge the finished report.
    claims: [],
    stability: input.asksForStability ? reportStability(context) : null,
    missing: [
      ...(lead && lead.id !== plan.response
        ? [
            `No run that counts has a value of the response “${plan.response}”; the report leads with ${nounOf(lead)}.`,
          ]
        : []),
      ...(noFront ? [noFront] : []),
      ...noEnergy,
      ...missingDiagnostics(kinds, diagnostics.length),
    ],
  });
}

/** The last look that the rule took, where the plan has one. */
function describeStopping({ plan, runs }: ReportInput): string | null {
  const blocks = Math.max(0, ...runs.map(({ block }) => block));
  const judged = judgeStopping(plan, runs, blocks);
  return judged && `${judged.sentence} ${startSentence(stoppingNote)}.`;
}

/** The response first, then every metric that some counting Run carries, in the order of tables. */
function measuredMetrics(context: ReportContext): MetricDefinition[] {
  const { plan } = context;
  const measured = metrics.filter((metric) => isMeasuredIn(context, metric));
  return [
    ...measured.filter(({ id }) => id === plan.response),
    ...measured.filter(({ id }) => id !== plan.response),
  ];
}

function missingDiagnostics(kinds: readonly SeriesKind[], found: number): string[] {
  if (kinds.length === 0) return ['No run stored a time series, so nothing is said about time.'];
  if (found > 0) return [];
  return [
    `No run has a series of ${minSamples} samples or more: memory and stationarity inside a run are not judged. Measure longer, or sample ten times a second.`,
  ];
}
