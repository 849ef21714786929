import { factors } from '../catalogue/factors.ts';
import type { Issue } from '../domain/issue.ts';

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
