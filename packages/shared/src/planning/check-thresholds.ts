import { findFactor } from '../catalogue/factors.ts';
import { findMetric } from '../catalogue/metrics.ts';
import type { Issue } from '../domain/issue.ts';
import type { ExperimentDraft, Threshold } from '../domain/plans/experiment-draft.ts';
import { noFactor, noMetric } from './unknown-names.ts';

/** Limits on metrics: of known ones, on one side, for Treatments that there can be. */
export function checkThresholds({ thresholds = [] }: ExperimentDraft): Issue[] {
  return thresholds.flatMap((threshold, index) => {
    const field = `thresholds[${index}]`;
    return [
      ...checkMetric(threshold, field),
      ...checkLimit(threshold, field),
      ...checkWhere(threshold, field),
    ];
  });
}

function checkMetric({ metric }: Threshold, field: string): Issue[] {
  return findMetric(metric) ? [] : [noMetric(`${field}.metric`, metric)];
}

function checkLimit({ atMost, atLeast, of }: Threshold, field: string): Issue[] {
  const limit = atMost ?? atLeast;
  if (limit === undefined || (atMost !== undefined && atLeast !== undefined)) {
    return [
      {
        field: `${field}.atMost`,
        reason: limit === undefined ? 'there is no limit' : 'there are two limits',
        remedy: 'Give either atMost or atLeast; two thresholds make a range.',
      },
    ];
  }
  if (of === 'value' || limit > 0) return [];
  return [
    {
      field: `${field}.${atMost === undefined ? 'atLeast' : 'atMost'}`,
      reason: `${limit} % of a baseline cannot be kept`,
      remedy: 'Choose more than 0 %; 100 % is the baseline itself.',
    },
  ];
}

function checkWhere({ where = {} }: Threshold, field: string): Issue[] {
  return Object.keys(where).flatMap((id) => (findFactor(id) ? [] : [noFactor(`${field}.where`, id)]));
}
