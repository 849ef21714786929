import { findMetric } from '../catalogue/metrics.ts';
import type { Issue } from '../domain/issue.ts';
import type { ExperimentDraft } from '../domain/plans/experiment-draft.ts';
import { noMetric } from './unknown-names.ts';

/** Looking after every repetition from fewer on would make intervals too short (88 to 93 % instead of 95). */
const fewest = 5;

/** The rule by which repetitions may end early. */
export function checkStopping({ stopping, repetitions }: ExperimentDraft): Issue[] {
  if (!stopping) return [];
  const { metric, targetPercent, atLeast } = stopping;
  const issues: Issue[] = [];
  if (!findMetric(metric)) issues.push(noMetric('stopping.metric', metric));
  if (!(targetPercent > 0 && targetPercent <= 100)) {
    issues.push({
      field: 'stopping.targetPercent',
      reason: `${targetPercent} % is no half width to reach`,
      remedy: 'Choose more than 0 and at most 100 %.',
    });
  }
  if (!Number.isInteger(atLeast) || atLeast < fewest) {
    issues.push({
      field: 'stopping.atLeast',
      reason: `${atLeast} repetitions are too few to stop at: intervals looked at so early are too short`,
      remedy: `Choose ${fewest} or more.`,
    });
  } else if (repetitions < atLeast) {
    issues.push({
      field: 'repetitions',
      reason: `at most ${repetitions} repetitions, but at least ${atLeast}`,
      remedy: `Choose ${atLeast} or more.`,
    });
  }
  return issues;
}
