import { factors, findFactor } from '../../catalogue/factors.ts';
import { findMetric } from '../../catalogue/metrics.ts';
import type { Plan } from '../../domain/plans/plan.ts';
import type { Report } from '../../domain/report/report.ts';

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

/** Numeric level of a factor, for fits; null where the factor has no numbers. */
export function numericLevel(factorId: string, level: string | number | null | undefined): number | null {
  if (typeof level !== 'number') return null;
  return findFactor(factorId) ? level : null;
}
