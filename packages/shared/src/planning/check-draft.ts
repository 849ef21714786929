import * as z from 'zod';
import { foreignTreatment } from '../catalogue/factors/foreign-treatment.ts';
import { findFactor } from '../catalogue/factors.ts';
import { findMetric } from '../catalogue/metrics.ts';
import type { TestbedView } from '../domain/devices/testbed-view.ts';
import { type Issue, issuesOf } from '../domain/issue.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import { checkStopping, checkThresholds, noFactor, noMetric } from './check-thresholds.ts';
import { checkWorkload } from './check-workload.ts';

/** Limits, so that a mistake cannot fill a disk or run for a year. */
export const limits = { runs: 10_000, combinations: 20_000, repetitions: 1000 } as const;

export const plausible = z.object({
  name: z.string().regex(/\S/, 'needs a name'),
  repetitions: z.int().min(1).max(limits.repetitions),
  retries: z.int().min(0).max(10),
  seed: z.int().min(0).max(0xffffffff),
});

const remedies: Readonly<Record<string, string>> = {
  name: 'Give the experiment a name.',
  repetitions: `Choose 1 to ${limits.repetitions} repetitions.`,
  retries: 'Choose 0 to 10 retries.',
  seed: 'Choose a whole number from 0 to 4,294,967,295.',
};

/** Checks individual fields: ranges, known ids, and the format of levels. */
export function checkDraft(draft: ExperimentDraft, testbed: TestbedView): Issue[] {
  const ranges = plausible.safeParse(draft);
  return [
    ...(ranges.success ? [] : issuesOf(ranges.error)).map((issue) => ({
      ...issue,
      remedy: remedies[issue.field] ?? issue.remedy,
    })),
    ...checkWorkload(draft, testbed),
    ...checkStopping(draft),
    ...checkThresholds(draft),
    ...checkLevels(draft),
    ...checkLeftOut(draft),
    ...checkTestbed(draft, testbed),
    ...(findMetric(draft.response) ? [] : [noMetric('response', draft.response)]),
  ];
}

function checkLeftOut({ leaveOut = [] }: ExperimentDraft): Issue[] {
  return leaveOut.flatMap((levels, index) =>
    Object.keys(levels).flatMap((id) => (findFactor(id) ? [] : [noFactor(`leaveOut[${index}]`, id)])),
  );
}

function checkLevels(draft: ExperimentDraft): Issue[] {
  return Object.entries(draft.factors).flatMap(([id, levels]) => {
    const factor = findFactor(id);
    if (!factor || factor === foreignTreatment) return [noFactor('factors', id)];
    return levels.flatMap((level, index) => {
      const parsed = factor.schema.safeParse(level);
      if (parsed.success) return [];
      const { input } = factor;
      return [
        {
          field: `factors.${id}[${index}]`,
          reason: `${JSON.stringify(level)} is not a level of ${factor.label}`,
          remedy:
            input.kind === 'number'
              ? `Choose ${input.min} to ${input.max}${factor.unit ? ` ${factor.unit}` : ''}.`
              : chooseAmong(parsed.error.issues[0]),
        },
      ];
    });
  });
}

function chooseAmong(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_value') return `Choose among ${issue.values.map(String).join(', ')}.`;
  return issue?.message ?? 'Choose one of its levels.';
}

function checkTestbed(draft: ExperimentDraft, testbed: TestbedView): Issue[] {
  if (draft.testbedId !== testbed.testbedId) {
    return [
      {
        field: 'testbedId',
        reason: `there is no testbed "${draft.testbedId}"`,
        remedy: 'Choose one of the testbeds.',
      },
    ];
  }
  return testbed.missingRoles.map((role) => ({
    field: 'testbedId',
    reason: `${testbed.name} has no ${role} online`,
    remedy: 'Wait for its agent to connect, or check Devices.',
  }));
}
