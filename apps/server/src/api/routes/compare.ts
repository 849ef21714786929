import { viewSchemaVersion } from '@mqttlab/shared/messages/http';
import { notFound, unprocessable } from '../../base/errors.ts';
import { selectedExperiments } from '../../results/select-runs.ts';
import { on, type Route } from '../route.ts';
import { untilGone } from '../send.ts';
import type { Services } from '../services.ts';

/** Treatments beside each other, across experiments. */
export function compareRoutes(services: Services): Route[] {
  return [
    on('GET /compare', ({ query, caller }) =>
      untilGone(caller.request.socket, (signal) =>
        services.answers.get('comparison', query, {
          experimentIds: selectedExperiments(services.stores, query),
          signal,
        }),
      ),
    ),
    on('GET /compare/series', ({ query: { metric, role, flagged, ...chosen }, caller }) => {
      checkSeries(metric, role);
      const question = { metric, role, flagged: flagged === 'true' };
      return untilGone(caller.request.socket, (signal) =>
        services.answers.get(
          'series',
          { query: chosen, question },
          { experimentIds: selectedExperiments(services.stores, chosen), signal },
        ),
      );
    }),
    on('GET /compare/window', ({ query: { metric, role, flagged, from, to, ...chosen }, caller }) => {
      checkSeries(metric, role);
      if (from > to) {
        const remedy = 'Choose an end that is not before the start.';
        throw unprocessable('The period ends before it starts.', [
          { field: 'to', reason: `${to} ms is before ${from} ms`, remedy },
        ]);
      }
      const question = { metric, role, flagged: flagged === 'true', window: { fromMs: from, toMs: to } };
      return untilGone(caller.request.socket, (signal) =>
        services.answers.get(
          'window',
          { query: chosen, question },
          { experimentIds: selectedExperiments(services.stores, chosen), signal },
        ),
      );
    }),
    ...viewRoutes(services),
  ];
}

/** A series is named by both, or by neither. */
function checkSeries(metric: string | undefined, role: string | undefined): void {
  if ((metric === undefined) === (role === undefined)) return;
  const [field, other] = metric === undefined ? ['metric', 'role'] : ['role', 'metric'];
  throw unprocessable('Only part of a series is named.', [
    { field, reason: `${other} alone names no series`, remedy: `Give ${field} too, or leave out both.` },
  ]);
}

/** Views of the compare page, kept under a name. */
function viewRoutes({ stores: { views } }: Services): Route[] {
  return [
    on('GET /views', () => ({ items: views.list() })),
    on('POST /views', ({ body }) => views.create({ ...body, schemaVersion: viewSchemaVersion })),
    on('DELETE /views/{id}', ({ params: { id } }) => {
      if (!views.remove(id)) throw notFound('view', id);
    }),
  ];
}
