import { factors, findFactor } from '../catalogue/factors.ts';
import { findMetric } from '../catalogue/metrics.ts';
import type { Issue } from '../domain/issue.ts';
import type { ExperimentDraft, Threshold } from '../domain/plans/experiment-draft.ts';

/** Checks that every threshold has one limit, a known metric and known factors. */
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
        remedy: 'Specify either atMost or atLeast; use two thresholds for a range.',
      },
    ];
  }
  if (of === 'value' || limit > 0) return [];
  return [
    {
      field: `${field}.${atMost === undefined ? 'atLeast' : 'atMost'}`,
      reason: `${limit} % of a baseline cannot be reached`,
      remedy: 'Choose more than 0 %; 100 % equals the baseline.',
    },
  ];
}

function checkWhere({ where = {} }: Threshold, field: string): Issue[] {
  return Object.keys(where).flatMap((id) => (findFactor(id) ? [] : [noFactor(`${field}.where`, id)]));
}

/**
 * Minimum number of repetitions before stopping. With fewer, intervals would be too short (coverage of 88 to 93 %, not
 * 95).
 */
export const fewestBeforeStopping = 5;

/** Checks the rule for early stopping. */
export function checkStopping({ stopping, repetitions }: ExperimentDraft): Issue[] {
  if (!stopping) return [];
  const { metric, targetPercent, atLeast } = stopping;
  const issues: Issue[] = [];
  if (!findMetric(metric)) issues.push(noMetric('stopping.metric', metric));
  if (!(targetPercent > 0 && targetPercent <= 100)) {
    issues.push({
      field: 'stopping.targetPercent',
      reason: `${targetPercent} % is not a valid half-width`,
      remedy: 'Choose more than 0 and at most 100 %.',
    });
  }
  if (!Number.isInteger(atLeast) || atLeast < fewestBeforeStopping) {
    issues.push({
      field: 'stopping.atLeast',
      reason: `${atLeast} repetitions are too few for a stopping rule: intervals checked this early are too narrow`,
      remedy: `Choose ${fewestBeforeStopping} or more.`,
    });
  } else if (repetitions < atLeast) {
    issues.push({
      field: 'repetitions',
      reason: `the maximum is ${repetitions} repetitions, but stopping needs at least ${atLeast}`,
      remedy: `Choose ${atLeast} or more.`,
    });
  }
  return issues;
}

export function noFactor(field: string, id: string): Issue {
  return {
    field: `${field}.${id}`,
    reason: `there is no factor "${id}"`,
    remedy: `Choose among ${factors.map((known) => known.id).join(', ')}.`,
  };
}

export function noMetric(field: string, id: string): Issue {
  return {
    field,
    reason: `there is no metric "${id}"`,
    remedy: 'Choose one of the metrics listed by GET /api/v1/catalogue.',
  };
}
