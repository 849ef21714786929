import { setTimeout as sleep } from 'node:timers/promises';
import type { JudgedThreshold } from '@mqttlab/shared/analysis/judge-thresholds';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type { CommandContext, ExitCode } from './context.ts';
import { printResult } from './print-result.ts';
import { formatDuration } from './table.ts';

const pollMs = 500;

/** For every command that ends with `concludeExperiment`. */
export const strictOption = [
  '--strict',
  'a flagged run or a threshold not resolved counts as a failure',
] as const;

/** Follows an experiment to its end, prints what came out, and says what that means for the exit code. */
export async function concludeExperiment(context: CommandContext, id: number): Promise<ExitCode> {
  const experiment = await followExperiment(context, id);
  const thresholds = await printResult(context, experiment);
  return outcomeCode(experiment, thresholds, context.args.strict);
}

/** Follows an experiment to its end, telling progress on standard error (as JSON lines with --json). */
async function followExperiment(context: CommandContext, id: number): Promise<ExperimentDetail> {
  let told = '';
  for (;;) {
    const experiment = await context.api.call('GET /experiments/{id}', { params: { id } });
    const line = context.args.json ? jsonLine(experiment) : progressLine(experiment);
    if (line !== told) context.note(line);
    told = line;
    if (isFinished(experiment.status) || experiment.status === 'draft') return experiment;
    await sleep(pollMs, undefined, { signal: context.signal });
  }
}

function settledTrials({ progress }: ExperimentDetail): number {
  return progress.done + progress.failed + progress.cancelled;
}

function progressLine(experiment: ExperimentDetail): string {
  const { progress, runs, currentRunId, plan } = experiment;
  const current = runs.find((run) => run.id === currentRunId);
  const treatment = plan?.treatments.find((entry) => entry.key === current?.treatmentKey);
  const left = experiment.timeLeftMs === null ? '' : `, about ${formatDuration(experiment.timeLeftMs)} left`;
  const flagged = progress.flagged > 0 ? `, ${progress.flagged} flagged` : '';
  const failed = progress.failed > 0 ? `, ${progress.failed} failed` : '';
  const now = treatment && current ? `: ${treatment.shortLabel}, repetition ${current.block}` : '';
  const done = `${settledTrials(experiment)} of ${progress.trials} runs`;
  return `E-${experiment.id} ${experiment.status}, ${done}${flagged}${failed}${left}${now}`;
}

function jsonLine(experiment: ExperimentDetail): string {
  const { id, status, progress, timeLeftMs, currentRunId } = experiment;
  return JSON.stringify({ event: 'progress', experimentId: id, status, progress, timeLeftMs, currentRunId });
}

/**
 * 0 when every Trial has a finished Run and no threshold is broken or without a measured value; with --strict,
 * also none of the Runs flagged and every threshold resolved.
 */
export function outcomeCode(
  { progress, status }: ExperimentDetail,
  thresholds: readonly Pick<JudgedThreshold, 'outcome'>[],
  strict: boolean,
): ExitCode {
  if (status !== 'done' || progress.failed > 0 || progress.done < progress.trials) return 1;
  const good = strict ? ['held'] : ['held', 'not resolved'];
  if (thresholds.some(({ outcome }) => !good.includes(outcome))) return 1;
  return strict && progress.flagged > 0 ? 1 : 0;
}
