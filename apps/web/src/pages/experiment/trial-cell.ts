import type { Trial } from '@mqttlab/shared/domain/plans/plan';
import { countingAttempt, isSettled, type RunSummary } from '@mqttlab/shared/domain/runs/run';
import { formatFixed } from '@mqttlab/shared/format/number';
import { inSentence } from '@mqttlab/shared/format/unit';
import type { TrialCell, TrialState } from '../../charts/datasets/progress-grid-data.ts';

export interface CellContext {
  /** Response metric of the plan. */
  response: { id: string; label: string; unit: string };
  /** Decimals that all cells share. */
  decimals: number;
  /** Server time, Unix ms. */
  nowMs: number;
  /** Nothing more will run: what has not, never will. */
  isOver: boolean;
  /** How long a run usually takes, ms. */
  usualRunMs: number;
}

/** One cell from all attempts at its Trial, by the one that counts. */
export function makeTrialCell(
  trial: Trial,
  attempts: readonly RunSummary[],
  context: CellContext,
): TrialCell {
  const run = countingAttempt(attempts);
  if (!run && context.isOver) return { state: 'cancelled', text: '', detail: 'did not run' };
  if (!run) return { state: 'planned', text: String(trial.number), detail: `turn ${trial.number}` };
  const state = stateOf(run, attempts.length);
  const base = { state, runId: String(run.id) };
  if (state === 'running') {
    const elapsedMs = Math.max(0, context.nowMs - (run.startedAt ?? context.nowMs));
    const text = `${Math.floor(elapsedMs / 1000)} s`;
    const progress = Math.min(1, elapsedMs / Math.max(1, context.usualRunMs));
    return { ...base, text, progress, detail: `run ${run.id}, for ${text}` };
  }
  const { id, label, unit } = context.response;
  const value = run.metrics[id] ?? null;
  const figure = value === null ? '' : formatFixed(value, context.decimals);
  const parts = [
    `run ${run.id}`,
    ...(figure === '' ? [] : [`${label} ${figure} ${unit}`]),
    ...(run.exclusion ? [`because: ${run.exclusion.reason}`] : []),
    ...describeTrouble(run),
    ...(run.tags.length > 0 ? [`tags: ${run.tags.join(', ')}`] : []),
    ...(attempts.length > 1 && state !== 'retried' ? [`attempt ${attempts.length}`] : []),
  ];
  return { ...base, text: figure, detail: parts.join(', ') };
}

/** A run that a crash of the server interrupted failed, as far as its Trial is concerned. */
function stateOf(run: RunSummary, attempts: number): TrialState {
  if (!isSettled(run.status)) return run.status === 'planned' ? 'planned' : 'running';
  if (run.status === 'cancelled') return 'cancelled';
  if (run.status !== 'done') return 'failed';
  if (run.exclusion) return 'excluded';
  if (run.flagged) return 'flagged';
  return attempts > 1 ? 'retried' : 'done';
}

function describeTrouble(run: RunSummary): string[] {
  if (run.failure) return [run.failure.message];
  return run.verdicts
    .filter((verdict) => verdict.status === 'failed')
    .map((verdict) => `not valid: ${inSentence(verdict.label)}`);
}
