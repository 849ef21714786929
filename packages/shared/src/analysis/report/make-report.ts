import { capturedRows } from '../../catalogue/evidence/capture-evidence.ts';
import { radioRows } from '../../catalogue/evidence/radio-evidence.ts';
import { isForeign } from '../../catalogue/factors/foreign-treatment.ts';
import { resultFactors } from '../../catalogue/factors.ts';
import { flagName } from '../../catalogue/flags.ts';
import { findMetric, metrics } from '../../catalogue/metrics.ts';
import type { Plan } from '../../domain/plans/plan.ts';
import {
  type Report,
  type ReportLatency,
  type ReportPareto,
  type ReportPhases,
  type ReportRolePhases,
  reportVersion,
} from '../../domain/report/report.ts';
import type { ComparedTreatment } from '../../domain/runs/comparison.ts';
import { noticesOf } from '../../domain/runs/import-marks.ts';
import { countingAttemptRule, countingAttempts, type RunSummary, runName } from '../../domain/runs/run.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { formatCount } from '../../format/number.ts';
import { inSentence, startSentence } from '../../format/unit.ts';
import { rankPareto } from '../../statistics/estimates/pareto.ts';
import { LatencyHistogram } from '../../statistics/histogram/histogram.ts';
import { countingRuns, stoppingNote } from '../counting-runs.ts';
import { estimateValues } from '../estimate.ts';
import { judgeStopping } from '../judge-stopping.ts';
import { joinWords, nounOf } from '../phrase.ts';
import { differingBases } from '../run-values.ts';
import { bootstrapSeries } from './bootstraps.ts';
import { diagnose, minSamples } from './diagnostics.ts';
import { reportEnergy } from './energy-report.ts';
import { isMeasuredIn, makeContext, type ReportContext, type ReportInput, valuesIn } from './report-input.ts';
import { reportStability } from './report-stability.ts';
import { reportResponse } from './response-report.ts';
import { fitSaturations } from './saturation.ts';
import { kindsPresent, reportSeries, type SeriesKind } from './series.ts';

/** Called between the parts with the number of finished parts. */
type OnProgress = (done: number, all: number) => void;

/** Makes a report from plan, metrics, series and histograms. Pure; takes seconds for large experiments. */
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
    // The studies package judges the finished report.
    claims: [],
    stability: input.needsStability ? reportStability(context) : null,
    missing: [
      ...(lead && lead.id !== plan.response
        ? [
            `No counting run has a value for the response “${plan.response}”; the report leads with ${nounOf(lead)}.`,
          ]
        : []),
      ...(noFront ? [noFront] : []),
      ...noEnergy,
      ...missingDiagnostics(kinds, diagnostics.length),
    ],
  });
}

/** Describes the latest evaluation of the stopping rule, if the plan has one. */
function describeStopping({ plan, runs }: ReportInput): string | null {
  const blocks = Math.max(0, ...runs.map(({ block }) => block));
  const judged = judgeStopping(plan, runs, blocks);
  return judged && `${judged.sentence} ${startSentence(stoppingNote)}.`;
}

/** Returns the response first, then all metrics of the runs that count, in the order of tables. */
function measuredMetrics(context: ReportContext): MetricDefinition[] {
  const { plan } = context;
  const measured = metrics.filter((metric) => isMeasuredIn(context, metric));
  return [
    ...measured.filter(({ id }) => id === plan.response),
    ...measured.filter(({ id }) => id !== plan.response),
  ];
}

function missingDiagnostics(kinds: readonly SeriesKind[], found: number): string[] {
  if (kinds.length === 0) return ['No run stored a time series, so changes over time are not analysed.'];
  if (found > 0) return [];
  return [
    `No run has a series of ${minSamples} samples or more: autocorrelation and stationarity within a run are not judged. Measure for longer, or sample ten times per second.`,
  ];
}

/** Candidates for the second response; the first measured one is used. */
const rivals = [
  'energyPerMessage.total',
  'cpuPerMessage.broker',
  'cpu.broker',
  'latency.p50',
  'latency.mean',
];

/**
 * Calculates the trade-off between the response and a second one: treatments that no other treatment beats in
 * both.
 */
function rankTreatments(
  context: ReportContext,
  response: MetricDefinition,
): { pareto: ReportPareto | null; missing: string | null } {
  const { all: treatments } = context;
  const valuesOf = (one: ComparedTreatment, metric: MetricDefinition) => valuesIn(context, one, metric);
  const meanOf = (one: ComparedTreatment, metric: MetricDefinition) =>
    estimateValues(
      valuesOf(one, metric).map(({ value }) => value),
      metric,
    ).value;
  const hasTwo = (metric: MetricDefinition) =>
    treatments.filter((one) => meanOf(one, metric) !== null).length >= 2;
  // Values with different bases, such as measured and modelled energy, cannot share an axis.
  const isOneKind = (metric: MetricDefinition) =>
    differingBases(treatments.flatMap((one) => valuesOf(one, metric))).length === 0;
  const none = (missing: string | null) => ({ pareto: null, missing });
  if (treatments.length < 2) return none(null);
  if (!hasTwo(response)) {
    return none('Fewer than two treatments have a counting run, so there is no trade-off to show.');
  }
  if (!isOneKind(response)) {
    return none(
      `Values for ${nounOf(response)} were measured in different ways, so they are not compared with a second response.`,
    );
  }
  if (response.better === null) {
    return none(`Neither a high nor a low ${nounOf(response)} is better, so there is no trade-off to show.`);
  }
  const others = rivals
    .flatMap((id) => findMetric(id) ?? [])
    .filter((metric) => metric.group !== response.group);
  const rival = others.find((metric) => isOneKind(metric) && hasTwo(metric));
  if (!rival) {
    return none(
      `None of ${joinWords(others.map(nounOf))} has valid values in two treatments, so there is no trade-off to show.`,
    );
  }
  const points = treatments.flatMap((one) => {
    const [x, y] = [meanOf(one, response), meanOf(one, rival)];
    return x === null || y === null ? [] : [{ treatment: one.id, x, y }];
  });
  if (points.length < 2) return none('Fewer than two treatments have both responses.');
  const sign = (metric: MetricDefinition) => (metric.better === 'higher' ? -1 : 1);
  const { rank } = rankPareto(points.map(({ x, y }) => [sign(response) * x, sign(rival) * y]));
  const ranked = points.map((point, index) => ({ ...point, rank: rank[index] ?? 0 }));
  const names = ranked
    .filter((point) => point.rank === 1)
    .map(({ treatment }) => treatments.find(({ id }) => id === treatment)?.treatment.shortLabel ?? treatment);
  return {
    missing: null,
    pareto: {
      x: axisOf(response),
      y: axisOf(rival),
      points: ranked,
      runs: treatments.flatMap((one) => {
        const others = new Map(valuesOf(one, rival).map(({ runId, value }) => [runId, value]));
        return valuesOf(one, response).flatMap(({ runId, value }) => {
          const y = others.get(runId);
          return y === undefined ? [] : [{ treatment: one.id, runId, x: value, y }];
        });
      }),
      sentence: `Based on means, no other treatment beats ${joinWords(names)} in both ${nounOf(response)} and ${nounOf(rival)}; unresolved differences can move a treatment on or off this front.`,
    },
  };
}

function axisOf({ id, label, unit }: MetricDefinition): ReportPareto['x'] {
  return { metric: id, label, unit };
}

/** Percentiles; each is shown only if at least ten messages are beyond it. */
const levels = [
  0.1, 1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 92.5, 95, 97, 98, 99,
  99.5, 99.8, 99.9, 99.95, 99.99, 99.999,
];
const minBeyond = 10;

/** Returns the distribution of all messages over a treatment's runs that count, as a curve and a box. */
function reportLatency(context: ReportContext): ReportLatency[] {
  return context.all.flatMap(({ id }) => {
    const merged = context.parts.latency(id);
    if (!merged) return [];
    const histogram = LatencyHistogram.fromJson(merged);
    const at = (percent: number) => (histogram.percentile(percent) ?? 0) / 1000;
    const supported = levels.filter(
      (percent) => (Math.min(percent, 100 - percent) / 100) * histogram.count >= minBeyond,
    );
    return [
      {
        treatment: id,
        messages: histogram.count,
        points: supported.map((p) => ({ p, ms: at(p) })),
        box: {
          p5: at(5),
          p25: at(25),
          p50: at(50),
          p75: at(75),
          p95: at(95),
          mean: (histogram.meanUs ?? 0) / 1000,
        },
      },
    ];
  });
}

/** Returns the mean of each publisher phase over the runs that count. */
function reportPhases(context: ReportContext): ReportPhases[] {
  return phasesOf(context);
}

/** Returns the mean of each phase for every role. */
function reportRolePhases(context: ReportContext): ReportRolePhases[] {
  return context.parts.roles.flatMap((role) => phasesOf(context, role).map((entry) => ({ role, ...entry })));
}

function phasesOf(context: ReportContext, role?: string): ReportPhases[] {
  return context.treatmentsFor('setUp.total').flatMap(({ id, runs }) => {
    const phases = context.parts.phases(id, role);
    return phases === null ? [] : [{ treatment: id, runs: runs.length, phases }];
  });
}

/** Describes varied factors, constant factors, and the order of runs. */
function describeDesign(plan: Plan): Report['design'] {
  const baseline = plan.treatments.find(({ key }) => key === plan.baselineKey) ?? plan.treatments[0];
  return {
    rows: [...factorRows(plan), ...workloadRows(plan)],
    repetitions: plan.repetitions,
    order: plan.order,
    seed: plan.seed,
    response: findMetric(plan.response)?.label ?? plan.response,
    baseline: baseline?.label ?? '',
    stopping: null,
    excluded: plan.excluded.map(({ label, reasons }) => ({
      label,
      reason: reasons.map(({ reason }) => reason).join('; '),
    })),
  };
}

/** Lists varied factors first. */
function factorRows(plan: Plan): Report['design']['rows'] {
  const rows = resultFactors.flatMap((factor) => {
    const levels = [
      ...new Set(
        plan.treatments.flatMap(({ levels: own }) => {
          const level = own[factor.id];
          return level === null || level === undefined ? [] : [factor.levelLabel(level)];
        }),
      ),
    ];
    if (levels.length === 0) return [];
    return [{ parameter: factor.label, levels, varied: plan.varied.includes(factor.id) }];
  });
  return [...rows.filter(({ varied }) => varied), ...rows.filter(({ varied }) => !varied)];
}

/** Returns an empty list for foreign treatments, whose settings are unknown. */
function workloadRows({ workload, sampleHz, treatments }: Plan): Report['design']['rows'] {
  if (treatments.some(({ levels }) => isForeign(levels))) return [];
  const fixed = (parameter: string, level: string) => ({ parameter, levels: [level], varied: false });
  return [
    fixed('Workload', workload.kind),
    fixed('Warm-up', `${workload.warmUpMs / 1000} s`),
    fixed('Measured', `${workload.measureMs / 1000} s`),
    fixed('Samples', `${sampleHz} per second`),
  ];
}

/** Describes which runs count, which runs do not, and why. */
function summariseValidity(input: ReportInput): Report['validity'] {
  const { plan, runs, takesFlagged } = input;
  const last = countingAttempts(runs);
  const done = last.filter(({ status }) => status === 'done');
  const used = countingRuns(runs, takesFlagged);
  const excluded = done.filter(({ exclusion }) => exclusion !== null);
  const flagged = done.filter((run) => run.flagged && run.exclusion === null);
  const counts = {
    trials: plan.trials.length,
    attempts: runs.length,
    done: done.length,
    used: used.length,
    flagged: flagged.length,
    excluded: excluded.length,
    failed: last.filter(({ status }) => status === 'failed' || status === 'interrupted').length,
    cancelled: last.filter(({ status }) => status === 'cancelled').length,
    takesFlagged,
  };
  return {
    ...counts,
    verdicts: verdictsOf(done),
    leftOut: leftOutOf(plan, last, used),
    sentences: [
      ...noticesOf(input.experiment.imported).map(({ sentence }) => sentence),
      ...sentencesOf(counts),
    ],
  };
}

function verdictsOf(done: readonly RunSummary[]): Report['validity']['verdicts'] {
  const found = new Map<string, Report['validity']['verdicts'][number]>();
  for (const { label, status } of done.flatMap(({ verdicts }) => verdicts)) {
    const entry = found.get(label) ?? { label, passed: 0, failed: 0, notApplicable: 0 };
    if (status === 'passed') entry.passed += 1;
    else if (status === 'failed') entry.failed += 1;
    else entry.notApplicable += 1;
    found.set(label, entry);
  }
  return [...found.values()];
}

function leftOutOf(
  plan: Plan,
  last: readonly RunSummary[],
  used: readonly RunSummary[],
): Report['validity']['leftOut'] {
  const counting = new Set(used.map(({ id }) => id));
  const names = new Map(plan.treatments.map(({ key, shortLabel }) => [key, shortLabel]));
  return last
    .filter(({ id, status }) => !counting.has(id) && status !== 'planned')
    .map((run) => ({
      runId: run.id,
      treatment: names.get(run.treatmentKey) ?? run.treatmentKey,
      block: run.block,
      reason: reasonOf(run),
    }));
}

function reasonOf({ exclusion, failure, status, verdicts }: RunSummary): string {
  if (exclusion) return `excluded: ${exclusion.reason}`;
  if (failure) return `${status}: ${failure.message}`;
  if (status !== 'done') return status;
  const failed = verdicts.filter((verdict) => verdict.status === 'failed');
  return `flagged: ${failed.map((verdict) => `${inSentence(flagName(verdict))} (${verdict.evidence})`).join('; ')}`;
}

type Counts = Omit<Report['validity'], 'verdicts' | 'leftOut' | 'sentences'>;

function sentencesOf(counts: Counts): string[] {
  const { trials, done, used, flagged, excluded, failed, cancelled, attempts, takesFlagged } = counts;
  const said = [
    `${formatCount(done)} of ${formatCount(trials)} planned trials were executed, ${used === 0 ? 'none' : formatCount(used)} of them ${takesFlagged ? 'with a run that is included' : 'without a flag'}.`,
  ];
  const out = [
    ...(flagged > 0 && !takesFlagged
      ? [
          `${formatCount(flagged)} ${flagged === 1 ? 'run is' : 'runs are'} flagged by a failed verdict (only from the metrics that it affects)`,
        ]
      : []),
    ...(excluded > 0 ? [`${formatCount(excluded)} excluded manually`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(cancelled > 0 ? [`${formatCount(cancelled)} cancelled`] : []),
  ];
  if (out.length > 0) said.push(`Excluded: ${out.join(', ')}.`);
  if (flagged > 0 && takesFlagged) {
    said.push(
      `${formatCount(flagged)} flagged ${flagged === 1 ? 'run is' : 'runs are'} included on request: the figures below use runs that failed a check.`,
    );
  }
  if (attempts > trials)
    said.push(`${formatCount(attempts)} attempts were made: for each trial, ${countingAttemptRule}.`);
  if (done > 0 && used === 0) {
    said.push(
      flagged > 0
        ? 'Every finished run is flagged or excluded, so only metrics that no failed verdict affects can be analysed.'
        : 'Every finished run is excluded, so there is nothing to analyse.',
    );
  } else if (flagged > 0 && !takesFlagged && flagged > done / 4) {
    said.push('More than a quarter of the runs are flagged: find the cause before you trust the other runs.');
  }
  return said;
}
