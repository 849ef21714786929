import { findFactor } from '@mqttlab/shared/catalogue/factors';
import { flagName } from '@mqttlab/shared/catalogue/flags';
import type { Plan, Treatment, Trial } from '@mqttlab/shared/domain/plans/plan';
import { countingAttempt, type RunRow } from '@mqttlab/shared/domain/runs/run';
import { isSettled } from '@mqttlab/shared/domain/runs/statuses';
import { decimalsFor, formatFixed } from '@mqttlab/shared/format/number';
import { inSentence } from '@mqttlab/shared/format/unit';
import { splitFactors } from '@mqttlab/shared/planning/name-treatments';
import type { TrialCell, TrialRow, TrialState } from '../../charts/progress-grid-data.ts';
import { identityOf } from '../../ui/treatment-mark.tsx';

/**
 * Arranges plan and runs as a grid of treatments x repetitions. Treatments are grouped by colour, in plan
 * order.
 */
export function makeTrialGrid(plan: Plan, attempts: TrialAttempts, context: CellContext) {
  const { coloured, others } = splitFactors(plan.varied);
  const trials = Map.groupBy(plan.trials, (trial) => trial.treatmentKey);
  const byColour = Map.groupBy(plan.treatments, (treatment) => treatment.colourLabel);
  const columns = others.map((id) => levelColumn(id, plan.treatments));
  return {
    treatmentHead: (coloured.length > 2 ? undefined : labelOf(coloured.at(-1))) ?? 'Treatment',
    levelHeads: columns.map((column) => column.head),
    rows: [...byColour.values()]
      .flat()
      .map(
        (treatment): TrialRow => ({
          key: treatment.key,
          treatment: { ...identityOf(treatment, true), label: treatment.colourLabel },
          levels: columns.map((column) => column.textOf(treatment)),
          cells: [...(trials.get(treatment.key) ?? [])]
            .sort((a, b) => a.block - b.block)
            .map((trial) => makeTrialCell(trial, attempts.get(trial.number) ?? [], context)),
        }),
      ),
  };
}

function shortLevel(id: string, treatment: Treatment): string | undefined {
  const value = treatment.levels[id];
  return value === null || value === undefined ? undefined : findFactor(id)?.shortLabel(value);
}

function labelOf(id: string | undefined): string | undefined {
  return id === undefined ? undefined : (findFactor(id)?.label ?? id);
}

/**
 * Splits "batch 1" and "batch 16" into the header "Batch" and the levels "1" and "16". Other levels are
 * unchanged.
 */
function levelColumn(
  id: string,
  treatments: readonly Treatment[],
): { head: string; textOf: (treatment: Treatment) => string } {
  const texts = treatments.map((treatment) => shortLevel(id, treatment) ?? '–');
  const words = new Set(texts.map((text) => /^(\S+) \S+$/.exec(text)?.[1] ?? ''));
  const [word] = words;
  const textOf = (treatment: Treatment) => shortLevel(id, treatment) ?? '–';
  if (words.size !== 1 || !word) return { head: labelOf(id) ?? id, textOf };
  return {
    head: word.charAt(0).toUpperCase() + word.slice(1),
    textOf: (treatment) => textOf(treatment).slice(word.length + 1),
  };
}

export interface CellContext {
  /** Response metric of the plan. */
  response: { id: string; label: string; unit: string };
  /** Number of decimals in all cells. */
  decimals: number;
  /** Server time, Unix ms. */
  nowMs: number;
  /** True if the experiment has ended, so that remaining trials will not run. */
  isOver: boolean;
  /** Typical duration of a run, in ms. */
  usualRunMs: number;
}

/**
 * Makes a cell from the attempts of a trial: from the current attempt, or otherwise from the attempt that
 * counts.
 */
export function makeTrialCell(trial: Trial, attempts: readonly RunRow[], context: CellContext): TrialCell {
  const run = attempts.find(isUnderWay) ?? countingAttempt(attempts);
  if (!run && context.isOver) return { state: 'cancelled', text: '', detail: 'did not run' };
  if (!run) return { state: 'planned', text: String(trial.number), detail: `turn ${trial.number}` };
  const state = stateOf(run);
  const base = { state, runId: String(run.id) };
  if (state === 'running') {
    const elapsedMs = Math.max(0, context.nowMs - (run.startedAt ?? context.nowMs));
    const text = `${Math.floor(elapsedMs / 1000)} s`;
    const progress = Math.min(1, elapsedMs / Math.max(1, context.usualRunMs));
    return { ...base, text, progress, detail: `run ${trial.number}, for ${text}` };
  }
  const { id, label, unit } = context.response;
  const value = run.metrics[id] ?? null;
  const figure = value === null ? '' : formatFixed(value, context.decimals);
  const parts = [
    `run ${trial.number}`,
    ...(figure === '' ? [] : [`${label} ${figure} ${unit}`]),
    ...(run.exclusion ? [`because: ${run.exclusion.reason}`] : []),
    ...describeFailure(run),
    ...(run.tags.length > 0 ? [`tags: ${run.tags.join(', ')}`] : []),
    ...(run.attempt > 1 && state !== 'retried' ? [`attempt ${run.attempt}`] : []),
  ];
  return { ...base, text: figure, detail: parts.join(', ') };
}

/** Returns the state of a trial. A run interrupted by a server crash counts as failed. */
function stateOf(run: RunRow): TrialState {
  if (isUnderWay(run)) return 'running';
  if (run.status === 'planned') return 'planned';
  if (run.status === 'cancelled') return 'cancelled';
  if (run.status !== 'done') return 'failed';
  if (run.exclusion) return 'excluded';
  if (run.flagged) return 'flagged';
  return run.attempt > 1 ? 'retried' : 'done';
}

function isUnderWay({ status }: RunRow): boolean {
  return status !== 'planned' && !isSettled(status);
}

function describeFailure(run: RunRow): string[] {
  if (run.failure) return [run.failure.message];
  return run.verdicts
    .filter((verdict) => verdict.status === 'failed')
    .map((verdict) => `flagged: ${inSentence(flagName(verdict))}`);
}

/** The runs of each trial by trial number, first attempt first. */
export type TrialAttempts = ReadonlyMap<number, readonly RunRow[]>;

export function groupAttempts(runs: readonly RunRow[]): TrialAttempts {
  return Map.groupBy(
    [...runs].sort((a, b) => a.id - b.id),
    (run) => run.trialNumber,
  );
}

/**
 * Returns the number of decimals for all cells of a grid. The middle value has three significant digits, but
 * the largest value must fit the given number of characters, including the point.
 */
export function cellDecimals(values: readonly number[], characters: number): number {
  const sorted = values.map(Math.abs).sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) return 0;
  const whole = Math.max(1, Math.floor(Math.log10(Math.max(1, sorted.at(-1) ?? 1))) + 1);
  return Math.max(0, Math.min(decimalsFor(middle, 3), characters - 1 - whole));
}
