import { appendFile } from 'node:fs/promises';
import { minRuns } from '@mqttlab/shared/analysis/estimate';
import type { JudgedThreshold, ThresholdOutcome } from '@mqttlab/shared/analysis/judge-thresholds';
import { failedIds, faultNames, isFlaggedForId } from '@mqttlab/shared/catalogue/flags';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { countingAttempt, type RunRow } from '@mqttlab/shared/domain/runs/run';
import xmlBuilder from 'xmlbuilder';
import { usageError } from './cli.ts';
import { writeOutput } from './files.ts';
import type { Table } from './terminal.ts';

/** Returns true if a threshold's outcome prevents exit code 0. */
export function countsAgainst(outcome: ThresholdOutcome, strict: boolean): boolean {
  return outcome !== 'held' && (strict || outcome !== 'not resolved');
}

/**
 * Returns the runs that fail a strict check: those flagged for the metric of a threshold, or for any metric
 * if the plan has no thresholds. If a trial has several attempts, only the attempt that counts is considered.
 */
export function flaggedRuns({ plan, runs }: Pick<ExperimentDetail, 'plan' | 'runs'>): RunRow[] {
  const judged = new Set(plan?.thresholds.map(({ metric }) => metric));
  const isFlagged = (run: RunRow) => {
    const failed = failedIds(run.verdicts);
    if (judged.size === 0) return run.flagged;
    return [...judged].some((metric) => isFlaggedForId({ flagged: run.flagged, failed }, metric));
  };
  const trials = [...Map.groupBy(runs, ({ trialNumber }) => trialNumber).values()];
  return trials.flatMap((attempts) => countingAttempt(attempts) ?? []).filter(isFlagged);
}

export interface Outcome {
  experiment: ExperimentDetail;
  thresholds: readonly JudgedThreshold[];
  /** Findings about the response. */
  sentences: readonly string[];
  tables: readonly Table[];
}

/** Files for pipelines, as specified by the options. */
export interface OutcomeFiles {
  junit: string | undefined;
  summary: string | undefined;
  strict: boolean;
}

/** Writes the requested files. Throws a usage error if a file cannot be written. */
export async function writeOutcomeFiles(
  { junit, summary, strict }: OutcomeFiles,
  outcome: Outcome,
): Promise<void> {
  if (junit !== undefined) await writeOutput(junit, makeJunit(outcome, strict));
  if (summary === undefined) return;
  // GitHub expects new text to be appended to the file that GITHUB_STEP_SUMMARY specifies.
  await appendFile(summary, makeMarkdown(outcome)).catch((error: Error) => {
    throw usageError(`cannot write ${summary}: ${error.message}`);
  });
}

interface Case {
  name: string;
  seconds: number;
  fault: { kind: 'failure' | 'error' | 'skipped'; message: string } | null;
}

/**
 * Returns JUnit XML with every trial and every judged threshold as a test case. Uses xmlbuilder, because
 * junit-report-builder cannot write the message of a skipped test, which states why a threshold is not
 * resolved.
 */
function makeJunit({ experiment, thresholds }: Outcome, strict: boolean): string {
  const nameOf = (key: string) =>
    experiment.plan?.treatments.find((entry) => entry.key === key)?.shortLabel ?? key;
  const flagged = flaggedRuns(experiment).map(({ id }) => id);
  const newest = new Map(experiment.runs.map((run) => [run.trialNumber, run]));
  const runs = [...newest.values()].map(
    ({ id, trialNumber, treatmentKey, block, status, failure, verdicts, ...run }): Case => {
      const message = failure ? `${failure.message} ${failure.remedy}` : status;
      return {
        name: `run ${trialNumber}: ${nameOf(treatmentKey)}, repetition ${block}`,
        seconds: ((run.finishedAt ?? 0) - (run.startedAt ?? run.finishedAt ?? 0)) / 1000,
        fault:
          status !== 'done'
            ? { kind: 'error', message }
            : strict && flagged.includes(id)
              ? { kind: 'failure', message: `flagged: ${faultNames(verdicts).join(', ')}` }
              : null,
      };
    },
  );
  const judged = thresholds.map(({ rule, treatment, outcome, measured, lo }): Case => {
    const message = `${outcome}: ${measured}${outcome === 'not resolved' ? `; ${whyNotResolved(lo)}` : ''}`;
    const kind = countsAgainst(outcome, strict) ? 'failure' : 'skipped';
    return {
      name: `${rule}, ${treatment.treatment.shortLabel}`,
      seconds: 0,
      fault: outcome === 'held' ? null : { kind, message },
    };
  });
  const suite = `E-${experiment.id} ${experiment.name}`;
  const suites = [
    { name: `${suite}: runs`, cases: runs },
    { name: `${suite}: thresholds`, cases: judged },
  ];
  const root = xmlBuilder.create(
    'testsuites',
    { version: '1.0', encoding: 'UTF-8' },
    undefined,
    // XML 1.0 does not allow these characters at all (section 2.2).
    { invalidCharReplacement: '' },
  );
  root.att('name', 'mqttlab');
  for (const { name, cases } of suites) {
    const count = (kind: string) => cases.filter(({ fault }) => fault?.kind === kind).length;
    const element = root.ele('testsuite', {
      name,
      tests: cases.length,
      failures: count('failure'),
      errors: count('error'),
      skipped: count('skipped'),
    });
    for (const { name: title, seconds, fault } of cases) {
      const entry = element.ele('testcase', { name: title, classname: name, time: seconds.toFixed(3) });
      if (fault) entry.ele(fault.kind, { message: fault.message });
    }
  }
  return `${root.end({ pretty: true })}\n`;
}

/**
 * Explains why a threshold is not resolved. `lo` is the lower limit of its interval, null without an
 * interval.
 */
function whyNotResolved(lo: number | null): string {
  return lo === null
    ? `an interval needs at least ${minRuns} valid runs`
    : 'the limit is inside the 95 % interval; more repetitions make the interval narrower';
}

function makeMarkdown({ experiment, sentences, tables }: Outcome): string {
  const plain = (text: string) => text.replace(/[\\|<>[\]`*_]/g, '\\$&').replaceAll('\n', ' ');
  const row = (cells: readonly string[]) => `| ${cells.map(plain).join(' | ')} |`;
  return [
    `## E-${experiment.id} ${plain(experiment.name)}`,
    ...sentences.map((sentence) => plain(sentence)),
    ...tables.map(({ columns, rows }) =>
      [
        row(columns.map(({ head }) => head)),
        `| ${columns.map(({ align }) => (align === 'right' ? '---:' : '---')).join(' | ')} |`,
        ...rows.map(row),
      ].join('\n'),
    ),
    '',
  ].join('\n\n');
}
