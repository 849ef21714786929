import { logLineSchema } from '@mqttlab/shared/domain/runs/role-result';
import { type RunDetail, runDetailSchema } from '@mqttlab/shared/domain/runs/run';
import { experimentLogQuerySchema, experimentLogSchema } from '@mqttlab/shared/messages/http';
import * as z from 'zod';
import { type CsvValue, makeCsv } from '../../base/csv.ts';
import { notFound } from '../../base/errors.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';

const params = z.strictObject({ id: idParam });
const csv = { kind: 'file', contentType: 'text/csv' } as const;

/** One Run: its page, raw data and log. */
export function runRoutes(parts: ApiParts): Route[] {
  const detailOf = (id: number): RunDetail => {
    const detail = parts.runs.detail(id);
    if (!detail) throw notFound('run', id);
    return detail;
  };
  return [
    route({
      method: 'get',
      path: '/runs/{id}',
      summary: 'Read a run with everything its devices reported',
      access: 'viewer',
      params,
      response: { kind: 'json', status: 200, schema: runDetailSchema },
      handle: ({ params: { id } }) => detailOf(id),
    }),
    route({
      method: 'get',
      path: '/runs/{id}/raw.json',
      summary: 'Save everything of a run as JSON',
      access: 'viewer',
      params,
      response: { kind: 'file', contentType: 'application/json' },
      handle: ({ params: { id } }) => ({
        name: `run-${id}.json`,
        contentType: 'application/json',
        body: `${JSON.stringify(detailOf(id), null, 1)}\n`,
      }),
    }),
    route({
      method: 'get',
      path: '/runs/{id}/raw.csv',
      summary: 'Save the series of a run as CSV, one line for each sample',
      access: 'viewer',
      params,
      response: csv,
      handle: ({ params: { id } }) => {
        if (!parts.runs.find(id)) throw notFound('run', id);
        return { name: `run-${id}-series.csv`, contentType: csv.contentType, body: seriesCsv(parts, id) };
      },
    }),
    route({
      method: 'get',
      path: '/runs/{id}/log',
      summary: 'Read the log of a run: server, broker and agents, by time',
      access: 'viewer',
      params,
      response: { kind: 'json', status: 200, schema: z.strictObject({ items: z.array(logLineSchema) }) },
      handle: ({ params: { id } }) => {
        if (!parts.runs.find(id)) throw notFound('run', id);
        const lines = [
          ...parts.runs.logOf(id).map(({ line }) => line),
          ...parts.runs.results(id).flatMap(({ log }) => log),
        ];
        // A line that was told live and came again with the result is one line.
        const unlike = new Map(lines.map((line) => [`${line.at} ${line.source} ${line.text}`, line]));
        return { items: [...unlike.values()].sort((a, b) => a.at - b.at) };
      },
    }),
    route({
      method: 'get',
      path: '/experiments/{id}/log',
      summary: 'Read the log of an experiment and its runs, newest first, page by page',
      access: 'viewer',
      params,
      query: experimentLogQuerySchema,
      response: { kind: 'json', status: 200, schema: experimentLogSchema },
      handle: ({ params: { id }, query: { before, limit } }) => {
        if (!parts.experiments.summary(id)) throw notFound('experiment', id);
        const { lines, total } = parts.runs.logOfExperiment(id, { before: before ?? null, limit });
        return { items: lines.map(({ id: number, runId, line }) => ({ id: number, runId, line })), total };
      },
    }),
  ];
}

function seriesCsv(parts: ApiParts, id: number): string {
  function* rows(): Generator<CsvValue[]> {
    for (const { deviceId, result } of parts.runs.storedResults(id)) {
      for (const { metric, unit, timesMs, values } of result.series) {
        for (const [index, value] of values.entries()) {
          yield [result.role, deviceId, metric, unit, timesMs[index] ?? null, value];
        }
      }
    }
  }
  return makeCsv(['role', 'device', 'metric', 'unit', 'time_ms', 'value'], rows());
}
