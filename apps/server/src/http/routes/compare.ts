import {
  comparedSeriesSchema,
  comparisonSchema,
  windowMeanSchema,
} from '@mqttlab/shared/domain/runs/comparison';
import {
  compareQuerySchema,
  compareSeriesQuerySchema,
  compareWindowQuerySchema,
} from '@mqttlab/shared/messages/http';
import * as z from 'zod';
import { makeComparison } from '../../analysis/compare.ts';
import { averageWindow, compareSeries } from '../../analysis/series.ts';
import { unprocessable } from '../../base/errors.ts';
import { route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';

/** Treatments beside each other, across experiments. */
export function compareRoutes(parts: ApiParts): Route[] {
  return [
    route({
      method: 'get',
      path: '/compare',
      summary: 'Compare the treatments of experiments or of single runs',
      access: 'viewer',
      query: compareQuerySchema,
      response: { kind: 'json', status: 200, schema: comparisonSchema },
      handle: ({ query }) => makeComparison(parts, query),
    }),
    route({
      method: 'get',
      path: '/compare/series',
      summary: 'One series of each treatment: mean over runs with a 95 % interval',
      access: 'viewer',
      query: compareSeriesQuerySchema,
      response: {
        kind: 'json',
        status: 200,
        schema: z.strictObject({ items: z.array(comparedSeriesSchema) }),
      },
      handle: ({ query: { metric, role, flagged, ...chosen } }) => {
        checkSeries(metric, role);
        return { items: compareSeries(parts, chosen, { metric, role, flagged: flagged === 'true' }) };
      },
    }),
    route({
      method: 'get',
      path: '/compare/window',
      summary:
        'Mean of one series inside a stretch of time, for each treatment: over runs with a 95 % interval',
      access: 'viewer',
      query: compareWindowQuerySchema,
      response: { kind: 'json', status: 200, schema: z.strictObject({ items: z.array(windowMeanSchema) }) },
      handle: ({ query: { metric, role, flagged, from, to, ...chosen } }) => {
        checkSeries(metric, role);
        if (from > to) {
          const remedy = 'Give an end that is not before the beginning.';
          throw unprocessable('The stretch of time ends before it begins.', [
            { field: 'to', reason: `${to} ms is before ${from} ms`, remedy },
          ]);
        }
        const window = { fromMs: from, toMs: to };
        return { items: averageWindow(parts, chosen, { metric, role, flagged: flagged === 'true', window }) };
      },
    }),
  ];
}

/** A series is named by both, or by neither. */
function checkSeries(metric: string | undefined, role: string | undefined): void {
  if ((metric === undefined) === (role === undefined)) return;
  const [field, other] = metric === undefined ? ['metric', 'role'] : ['role', 'metric'];
  throw unprocessable('Half a series is named.', [
    { field, reason: `${other} alone names no series`, remedy: `Give ${field} too, or leave out both.` },
  ]);
}
