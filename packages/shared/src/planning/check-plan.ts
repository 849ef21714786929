import { findFactor } from '../catalogue/factors.ts';
import type { Levels } from '../domain/factor.ts';
import type { Issue } from '../domain/issue.ts';
import type { Plan } from '../domain/plans/plan.ts';
import { limits } from './check-draft.ts';

const remedy = 'Take the plan as the server wrote it that made it.';

/** What a plan that comes from elsewhere may have wrong although its form is right; a factor of a later version passes. */
export function checkPlan(plan: Plan): Issue[] {
  const keys = new Set(plan.treatments.map(({ key }) => key));
  const numbers = new Set(plan.trials.map(({ number }) => number));
  return [
    ...[...plan.treatments.entries()].flatMap(([i, { levels }]) => checkLevels(levels, `treatments[${i}]`)),
    ...[...plan.excluded.entries()].flatMap(([i, { levels }]) => checkLevels(levels, `excluded[${i}]`)),
    ...say(plan.treatments.length > limits.combinations, 'treatments', 'has too many entries'),
    ...say(plan.trials.length > limits.runs, 'trials', 'has too many entries'),
    ...say(keys.size < plan.treatments.length, 'treatments', 'has one key twice'),
    ...say(numbers.size < plan.trials.length, 'trials', 'has one number twice'),
    ...say(plan.repetitions > limits.repetitions, 'repetitions', `is more than ${limits.repetitions}`),
    ...say(!keys.has(plan.baselineKey), 'baselineKey', 'is no treatment of this plan'),
    ...[...plan.trials.entries()].flatMap(([i, { treatmentKey }]) =>
      say(!keys.has(treatmentKey), `trials[${i}].treatmentKey`, 'is no treatment of this plan'),
    ),
  ];
}

function checkLevels(levels: Levels, where: string): Issue[] {
  return Object.entries(levels).flatMap(([id, level]) => {
    const factor = findFactor(id);
    if (!factor || level === null || factor.schema.safeParse(level).success) return [];
    const shown = JSON.stringify(level).slice(0, 60);
    return say(true, `${where}.levels.${id}`, `${shown} is no level of ${factor.label}`);
  });
}

function say(isWrong: boolean, field: string, reason: string): Issue[] {
  return isWrong ? [{ field, reason, remedy }] : [];
}
