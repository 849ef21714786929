import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from '@commander-js/extra-typings';
import type { JudgedThreshold } from '@mqttlab/shared/analysis/judge-thresholds';
import { faultNames } from '@mqttlab/shared/catalogue/flags';
import { type ExitCode, thresholdExitCode } from '@mqttlab/shared/domain/exit-codes';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import type { RunRow } from '@mqttlab/shared/domain/runs/run';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import { inSentence } from '@mqttlab/shared/format/unit';
import type { CommandContext, CommonOptions } from './cli.ts';
import { readBytes } from './files.ts';
import { countsAgainst, flaggedRuns } from './outcome-files.ts';
import { printResult } from './print-result.ts';
import { parseExperimentId } from './references.ts';
import { formatDuration } from './terminal.ts';

/** Shortest and longest pause between two progress requests, in ms. */
const pauses = { least: 500, longest: 10_000 };
/**
 * Maximum share of time spent on requests: if the server runs on a measured device, they take CPU time from
 * the measurement.
 */
const maxShare = 0.05;
const barLetters = 24;

/** Options of every command that ends by calling `concludeExperiment`. */
export type OutcomeOptions = {
  strict?: true | undefined;
  baseline?: string | undefined;
  junit?: string | undefined;
  summary?: string | undefined;
};

export const strictOption = [
  '--strict',
  'also fail if a threshold is not resolved or a run is flagged for its metric (any metric if there are no thresholds)',
] as const;

/** Adds the options that `concludeExperiment` reads. */
export function addOutcomeOptions<Args extends unknown[]>(
  command: Command<Args, Record<never, never>, CommonOptions>,
) {
  return command
    .option(...strictOption)
    .option(
      '--baseline <E-N|FILE.zip>',
      'compare thresholds "of: baseline" with the same treatments in this experiment or bundle',
    )
    .option('--junit <FILE>', 'write runs and thresholds to a file as JUnit XML')
    .option('--summary <FILE>', 'append the comparison and thresholds as Markdown to a file');
}

/** Follows an experiment until it ends, prints the result and returns the exit code. */
export async function concludeExperiment(
  context: CommandContext,
  id: number,
  options: OutcomeOptions,
): Promise<ExitCode> {
  const { baseline, junit, summary, strict = false } = options;
  const baselineId = baseline === undefined ? null : await findBaseline(context, baseline);
  const experiment = await followExperiment(context, id);
  const thresholds = await printResult(context, experiment, {
    baselineId,
    files: { junit, summary, strict },
  });
  return outcomeCode(experiment, thresholds, strict);
}

const isBundle = (baseline: string): boolean => /\.zip$/i.test(baseline);

/** Throws if the baseline cannot be found. Call this before an experiment is started. */
export async function checkBaseline(
  { api }: CommandContext,
  { baseline }: Pick<OutcomeOptions, 'baseline'>,
): Promise<void> {
  if (baseline === undefined) return;
  if (isBundle(baseline)) await readBytes(baseline);
  else await api.call('GET /experiments/{id}', { params: { id: parseExperimentId(baseline, '--baseline') } });
}

/** Returns the experiment specified by `--baseline`; imports it first if it is a bundle. */
async function findBaseline(context: CommandContext, baseline: string): Promise<number> {
  const { api, note } = context;
  if (!isBundle(baseline)) {
    await checkBaseline(context, { baseline });
    return parseExperimentId(baseline, '--baseline');
  }
  const bytes = await readBytes(baseline);
  const { id, name } = await api.call('POST /experiments/import-bundle', { file: new Blob([bytes]) });
  note(`E-${id} ${name} imported as the baseline for the thresholds`);
  return id;
}

/**
 * Follows an experiment until it ends. Reports progress on standard error: as a bar on a terminal, otherwise
 * as one line per run, or as JSON lines with --json.
 */
export async function followExperiment(context: CommandContext, id: number): Promise<ExperimentDetail> {
  const { api, json, note, status, signal } = context;
  const reported = new Set<string>();
  const report = (line: string, key = line) => {
    if (!reported.has(key)) note(line);
    reported.add(key);
  };
  for (;;) {
    const askedAtMs = performance.now();
    const experiment = await api.wholeExperiment(id);
    const pauseMs = pauseAfter(performance.now() - askedAtMs);
    const over = isFinished(experiment.status) || experiment.status === 'draft';
    if (json) report(jsonLine(experiment), `${experiment.status} ${settledTrials(experiment)}`);
    else {
      for (const { key, line } of runLines(experiment)) report(line, key);
      if (status && !over) status(progressBar(experiment));
      else report(stateLine(experiment), experiment.status);
    }
    if (over) return experiment;
    await sleep(pauseMs, undefined, { signal });
  }
}

/**
 * Returns the pause after a request that took `tookMs`, in ms. Experiments with many runs are read less
 * often.
 */
export function pauseAfter(tookMs: number): number {
  return Math.min(pauses.longest, Math.max(pauses.least, tookMs / maxShare));
}

function settledTrials({ progress }: ExperimentDetail): number {
  return progress.done + progress.failed + progress.cancelled;
}

/** Returns for example "E-3 running, 4 of 12 runs, about 40 s left". */
function stateLine(experiment: ExperimentDetail): string {
  const { progress, status, id } = experiment;
  const flagged = progress.flagged > 0 ? `, ${progress.flagged} flagged` : '';
  const failed = progress.failed > 0 ? `, ${progress.failed} failed` : '';
  const done = `${settledTrials(experiment)} of ${progress.trials} runs`;
  return `E-${id} ${status}, ${done}${flagged}${failed}${timeLeft(experiment)}`;
}

function timeLeft({ timeLeftMs }: ExperimentDetail): string {
  return timeLeftMs === null ? '' : `, about ${formatDuration(timeLeftMs)} left`;
}

/** Returns for example "[#######.................] E-3 running, 4 of 12 runs, about 40 s left: TLS 1.3". */
function progressBar(experiment: ExperimentDetail): string {
  const share = settledTrials(experiment) / Math.max(1, experiment.progress.trials);
  const full = Math.round(share * barLetters);
  const current = experiment.runs.find(({ id }) => id === experiment.currentRunId);
  const now = current ? `: ${nameOf(experiment, current.treatmentKey)}` : '';
  return `[${'#'.repeat(full)}${'.'.repeat(barLetters - full)}] ${stateLine(experiment)}${now}`;
}

/** Returns one line for each finished attempt. */
export function runLines(experiment: ExperimentDetail): { key: string; line: string }[] {
  const { runs, progress } = experiment;
  return runs
    .filter(({ finishedAt }) => finishedAt !== null)
    .map((run) => {
      const { id, trialNumber, treatmentKey, block, attempt, status } = run;
      const again = attempt > 1 ? `, attempt ${attempt}` : '';
      const name = nameOf(experiment, treatmentKey);
      return {
        key: `run ${id}`,
        line: `run ${trialNumber} of ${progress.trials}, ${name}, repetition ${block}${again}: ${status}${flagWords(run)}`,
      };
    });
}

/** Returns for example ", flagged: generator fell behind schedule"; empty for a run that is not flagged. */
function flagWords({ flagged, verdicts }: Pick<RunRow, 'flagged' | 'verdicts'>): string {
  if (!flagged) return '';
  const faults = faultNames(verdicts);
  return faults.length === 0 ? ', flagged' : `, flagged: ${faults.map(inSentence).join('; ')}`;
}

function nameOf({ plan }: ExperimentDetail, key: string): string {
  return plan?.treatments.find((entry) => entry.key === key)?.shortLabel ?? key;
}

function jsonLine(experiment: ExperimentDetail): string {
  const { id, status, progress, timeLeftMs, currentRunId } = experiment;
  return JSON.stringify({ event: 'progress', experimentId: id, status, progress, timeLeftMs, currentRunId });
}

/**
 * Returns 0 if every trial has a completed run and no threshold is broken or lacks a measured value. With
 * --strict, every threshold must also be resolved, and no run can be flagged for the metric of a threshold.
 * Returns `thresholdExitCode` if only thresholds fail.
 */
export function outcomeCode(
  experiment: ExperimentDetail,
  thresholds: readonly Pick<JudgedThreshold, 'outcome'>[],
  strict: boolean,
): ExitCode {
  const { progress, status } = experiment;
  if (status !== 'done' || progress.failed > 0 || progress.done < progress.trials) return 1;
  if (thresholds.some(({ outcome }) => countsAgainst(outcome, strict))) return thresholdExitCode;
  return strict && flaggedRuns(experiment).length > 0 ? 1 : 0;
}
