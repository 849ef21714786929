import { factors } from '../../catalogue/factors.ts';
import { flagName } from '../../catalogue/flags.ts';
import { findMetric } from '../../catalogue/metrics.ts';
import type { Plan } from '../../domain/plans/plan.ts';
import type { Report } from '../../domain/report/report.ts';
import { countingAttemptRule, countingAttempts, type RunSummary } from '../../domain/runs/run.ts';
import { formatCount } from '../../format/number.ts';
import { inSentence } from '../../format/unit.ts';
import { countingRuns } from '../counting-runs.ts';
import type { ReportInput } from './report-input.ts';

/** What was varied, what was held, and how it was run. */
export function describeDesign(plan: Plan): Report['design'] {
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

/** Varied ones first. */
function factorRows(plan: Plan): Report['design']['rows'] {
  const rows = factors.flatMap((factor) => {
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

function workloadRows({ workload, sampleHz }: Plan): Report['design']['rows'] {
  const fixed = (parameter: string, level: string) => ({ parameter, levels: [level], varied: false });
  return [
    fixed('Workload', workload.kind),
    fixed('Warm-up', `${workload.warmUpMs / 1000} s`),
    fixed('Measured', `${workload.measureMs / 1000} s`),
    fixed('Samples', `${sampleHz} each second`),
  ];
}

/** Which Runs count, which do not, and why. */
export function summariseValidity(input: ReportInput): Report['validity'] {
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
    sentences: sentencesOf(counts),
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
    `${formatCount(done)} of ${formatCount(trials)} planned trials were carried out and ${used === 0 ? 'none' : formatCount(used)} of them ${used === 1 ? 'counts' : 'count'}.`,
  ];
  const out = [
    ...(flagged > 0 && !takesFlagged
      ? [
          `${formatCount(flagged)} ${flagged === 1 ? 'run is' : 'runs are'} flagged by a failed verdict, from the metrics that it matters for`,
        ]
      : []),
    ...(excluded > 0 ? [`${formatCount(excluded)} excluded by hand`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(cancelled > 0 ? [`${formatCount(cancelled)} cancelled`] : []),
  ];
  if (out.length > 0) said.push(`Left out: ${out.join(', ')}.`);
  if (flagged > 0 && takesFlagged) {
    said.push(
      `${formatCount(flagged)} flagged ${flagged === 1 ? 'run is' : 'runs are'} included on request: figures below rest on runs that failed a check.`,
    );
  }
  if (attempts > trials)
    said.push(`${formatCount(attempts)} attempts were made: of each trial ${countingAttemptRule}.`);
  if (done > 0 && used === 0) {
    said.push(
      flagged > 0
        ? 'Every finished run is flagged or excluded, so there is nothing to analyse but metrics that no failed verdict matters for.'
        : 'Every finished run is excluded, so there is nothing to analyse.',
    );
  } else if (flagged > 0 && !takesFlagged && flagged > done / 4) {
    said.push('More than a quarter of the runs is flagged: look for the cause before trusting the rest.');
  }
  return said;
}
