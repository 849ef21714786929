import { setTimeout as sleep } from 'node:timers/promises';
import type { JudgedThreshold } from '@mqttlab/shared/analysis/judge-thresholds';
import { thresholdExitCode } from '@mqttlab/shared/domain/exit-codes';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { CommandContext, ExitCode } from './context.ts';
import { readBytes } from './files.ts';
import { flaggedRuns, isAgainst } from './outcome-files.ts';
import { printResult } from './print-result.ts';
import { parseExperimentId } from './references.ts';
import { formatDuration } from './table.ts';

const pollMs = 500;
const barLetters = 24;

/** For every command that ends with `concludeExperiment`. */
export const outcomeOptions = [
  [
    '--strict',
    'fail too if a threshold is not resolved, or a run is flagged for its metric (without thresholds: for any metric)',
  ],
  ['--baseline E-N|FILE.zip', 'hold thresholds "of: baseline" against the same treatments of it'],
  ['--junit FILE', 'runs and thresholds as JUnit XML'],
  ['--summary FILE', 'the comparison and thresholds as Markdown, at the end of the file'],
] as const;

/** Follows an experiment to its end, prints what came out, and says what that means for the exit code. */
export async function concludeExperiment(context: CommandContext, id: number): Promise<ExitCode> {
  const baselineId = await findBaseline(context);
  const experiment = await followExperiment(context, id);
  const thresholds = await printResult(context, experiment, baselineId);
  return outcomeCode(experiment, thresholds, context.args.strict);
}

/** The experiment that `--baseline` names; a bundle is imported. */
async function findBaseline({ api, args, note }: CommandContext): Promise<number | null> {
  const { baseline } = args;
  if (baseline === null) return null;
  if (!/\.zip$/i.test(baseline)) {
    const id = parseExperimentId(baseline, '--baseline');
    await api.call('GET /experiments/{id}', { params: { id } });
    return id;
  }
  const bytes = await readBytes(baseline);
  const { id, name } = await api.call('POST /experiments/import-bundle', { file: new Blob([bytes]) });
  note(`E-${id} ${name} imported as the baseline of thresholds`);
  return id;
}

/**
 * Follows an experiment to its end, telling progress on standard error: a bar on a terminal, a line for each run
 * elsewhere, JSON lines with --json.
 */
export async function followExperiment(context: CommandContext, id: number): Promise<ExperimentDetail> {
  const { api, args, note, status, signal } = context;
  const told = new Set<string>();
  const tell = (line: string, key = line) => {
    if (!told.has(key)) note(line);
    told.add(key);
  };
  for (;;) {
    const experiment = await api.wholeExperiment(id);
    const over = isFinished(experiment.status) || experiment.status === 'draft';
    if (args.json) tell(jsonLine(experiment), `${experiment.status} ${settledTrials(experiment)}`);
    else {
      for (const { key, line } of runLines(experiment)) tell(line, key);
      if (status && !over) status(progressBar(experiment));
      else tell(stateLine(experiment), experiment.status);
    }
    if (over) return experiment;
    await sleep(pollMs, undefined, { signal });
  }
}

function settledTrials({ progress }: ExperimentDetail): number {
  return progress.done + progress.failed + progress.cancelled;
}

/** "E-3 running, 4 of 12 runs, about 40 s left" */
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

/** "[#######.................] E-3 running, 4 of 12 runs, about 40 s left: TLS 1.3" */
function progressBar(experiment: ExperimentDetail): string {
  const share = settledTrials(experiment) / Math.max(1, experiment.progress.trials);
  const full = Math.round(share * barLetters);
  const current = experiment.runs.find(({ id }) => id === experiment.currentRunId);
  const now = current ? `: ${nameOf(experiment, current.treatmentKey)}` : '';
  return `[${'#'.repeat(full)}${'.'.repeat(barLetters - full)}] ${stateLine(experiment)}${now}`;
}

/** One line for each attempt that is over. */
function runLines(experiment: ExperimentDetail): { key: string; line: string }[] {
  const { runs, progress } = experiment;
  return runs
    .filter(({ finishedAt }) => finishedAt !== null)
    .map(({ id, trialNumber, treatmentKey, block, attempt, status, flagged }) => {
      const again = attempt > 1 ? `, attempt ${attempt}` : '';
      const name = nameOf(experiment, treatmentKey);
      return {
        key: `run ${id}`,
        line: `run ${trialNumber} of ${progress.trials}, ${name}, repetition ${block}${again}: ${status}${flagged ? ', flagged' : ''}`,
      };
    });
}

function nameOf({ plan }: ExperimentDetail, key: string): string {
  return plan?.treatments.find((entry) => entry.key === key)?.shortLabel ?? key;
}

function jsonLine(experiment: ExperimentDetail): string {
  const { id, status, progress, timeLeftMs, currentRunId } = experiment;
  return JSON.stringify({ event: 'progress', experimentId: id, status, progress, timeLeftMs, currentRunId });
}

/**
 * 0 when every Trial has a finished Run and no threshold is broken or without a measured value; with --strict,
 * also no run flagged for what the thresholds judge and every threshold resolved. `thresholdExitCode` if only
 * thresholds fail.
 */
export function outcomeCode(
  experiment: ExperimentDetail,
  thresholds: readonly Pick<JudgedThreshold, 'outcome'>[],
  strict: boolean,
): ExitCode {
  const { progress, status } = experiment;
  if (status !== 'done' || progress.failed > 0 || progress.done < progress.trials) return 1;
  if (thresholds.some(({ outcome }) => isAgainst(outcome, strict))) return thresholdExitCode;
  return strict && flaggedRuns(experiment).length > 0 ? 1 : 0;
}
