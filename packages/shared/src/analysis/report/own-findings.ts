import type { ReportEffect, ReportFinding } from '../../domain/report/report.ts';
import type { MetricDefinition } from '../../domain/runs/verdict.ts';
import { formatInterval } from '../../format/interval.ts';
import { alpha, type TreatmentEstimate } from '../contrasts.ts';
import { nounOf, phraseOf, titleOf } from '../phrase.ts';

/** Of a plan that compares nothing: what it found. */
export function aloneFinding(metric: MetricDefinition, { estimate }: TreatmentEstimate): ReportFinding[] {
  const { n, value, lo, hi, isConstant } = estimate;
  if (value === null) return [];
  const { text } = formatInterval({ value, lo: lo ?? undefined, hi: hi ?? undefined }, { unit: metric.unit });
  const runs = n === 1 ? 'one run' : `${n} runs`;
  const without = isConstant ? ', the same in every one' : lo === null ? ', so without an interval' : '';
  return [
    {
      kind: 'open',
      text: `${titleOf(metric)}: ${text} over ${runs}${without}. Nothing was varied, so nothing is compared.`,
    },
  ];
}

/** Whether effects depend on each other. */
export function interactionFinding(
  metric: MetricDefinition,
  effects: readonly ReportEffect[],
): ReportFinding[] {
  const judged = effects.filter(({ kind, lo, hi }) => kind === 'interaction' && lo !== null && hi !== null);
  if (judged.length === 0) return [];
  const found = judged.filter(isResolved);
  if (found.length === 0) {
    return [
      {
        kind: 'open',
        text: `No clear interaction in ${nounOf(metric)}: whether an effect is the same at every level is neither shown nor excluded.`,
      },
    ];
  }
  const compared = found.map(({ scale, estimate, lo, hi }) => ({ scale, value: estimate, lo, hi }));
  const { signed } = phraseOf(metric, compared);
  const said = compared.map((one, index) => `${found[index]?.label} ${signed(one)}`);
  return [
    {
      kind: 'resolved',
      text: `Effects on ${nounOf(metric)} depend on each other; beyond the main effects together: ${said.join('; ')}.`,
    },
  ];
}

/** The interval leaves equality out, and Holm agrees. */
function isResolved({ scale, lo, hi, p }: ReportEffect): boolean {
  const equal = scale === 'ratio' ? 1 : 0;
  return lo !== null && hi !== null && (lo > equal || hi < equal) && p !== null && p < alpha;
}
