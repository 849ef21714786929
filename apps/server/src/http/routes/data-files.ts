import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { experimentDetailSchema } from '@mqttlab/shared/domain/runs/experiment';
import { bundleImportSchema } from '@mqttlab/shared/messages/http';
import * as z from 'zod';
import { notFound, ProblemError } from '../../base/errors.ts';
import { csvParts, type DataTable, parquetBytes } from '../../bundle/data-table.ts';
import { sampleTable, valueTable } from '../../bundle/experiment-tables.ts';
import { fileNameOf } from '../file-name.ts';
import { idParam, route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';
import { detailOf, recordOf, tellExperiment } from '../start-experiment.ts';
import { untilGone } from '../until-gone.ts';

const params = z.strictObject({ id: idParam });
const zip = 'application/zip';
const ndjson = 'application/x-ndjson';
const tables = {
  values: { make: valueTable, what: 'one row for each run and metric' },
  samples: { make: sampleTable, what: 'one row for each sample' },
} as const;
const formats = {
  csv: { contentType: 'text/csv', bodyOf: (table: DataTable) => Readable.from(csvParts(table)) },
  parquet: { contentType: 'application/vnd.apache.parquet', bodyOf: parquetBytes },
} as const;

/** What an experiment leaves to take away: tidy tables and the research bundle; and the way back in. */
export function dataFileRoutes(parts: ApiParts): Route[] {
  return [
    ...(Object.keys(tables) as (keyof typeof tables)[]).flatMap((name) =>
      (Object.keys(formats) as (keyof typeof formats)[]).map((format) => {
        const { contentType, bodyOf } = formats[format];
        return route({
          method: 'get',
          path: `/experiments/{id}/${name}.${format}`,
          summary: `Save ${tables[name].what} as ${format === 'csv' ? 'CSV' : 'Parquet'}`,
          access: 'viewer',
          params,
          response: { kind: 'file', contentType },
          handle: async ({ params: { id } }) => {
            const record = recordOf(parts, id, { live: false });
            return {
              name: fileNameOf(`E-${id}-${name}`, record.name, format),
              contentType,
              body: await bodyOf(tables[name].make(parts, id)),
            };
          },
        });
      }),
    ),
    route({
      method: 'get',
      path: '/experiments/{id}/bundle.zip',
      summary: 'Save everything of a finished experiment as a research bundle (RO-Crate 1.2), signed',
      access: 'viewer',
      params,
      response: { kind: 'file', contentType: zip },
      handle: async ({ params: { id }, caller }) => {
        const { name } = recordOf(parts, id, { live: false });
        const body = await untilGone(caller.request.socket, (signal) => parts.bundles.write(id, signal));
        return { name: fileNameOf(`E-${id}-bundle`, name, 'zip'), contentType: zip, body };
      },
    }),
    route({
      method: 'get',
      path: '/experiments/{id}/stored.ndjson',
      summary: 'Save what is stored of an experiment, row by row, also where it cannot be read any more',
      access: 'viewer',
      params,
      response: { kind: 'file', contentType: ndjson },
      handle: ({ params: { id } }) => {
        const summary = parts.experiments.summary(id);
        if (!summary) throw notFound('experiment', id);
        const name = fileNameOf(`E-${id}-stored`, summary.name, 'ndjson');
        return { name, contentType: ndjson, body: Readable.from(parts.experiments.storedRows(id)) };
      },
    }),
    route({
      method: 'post',
      path: '/experiments/import-bundle',
      summary: 'Take in a research bundle, sent as it is with "Content-Type: application/zip"',
      access: 'operator',
      query: z.strictObject({ key: z.string().min(1).max(64).optional() }),
      response: { kind: 'json', status: 201, schema: experimentDetailSchema },
      handle: async ({ query: { key = randomUUID() }, caller: { request } }) => {
        const got = request.headers['content-type'] ?? 'none';
        if (!/^application\/(zip|octet-stream)\b/.test(got)) {
          throw new ProblemError({
            status: 415,
            detail: `The body is of type ${got.slice(0, 100)}.`,
            remedy: 'Send the bundle with "Content-Type: application/zip".',
          });
        }
        const announced = Number(request.headers['content-length']);
        const totalBytes = Number.isSafeInteger(announced) ? announced : null;
        const id = await untilGone(request.socket, (signal) =>
          parts.bundles.take({ packed: request, key, totalBytes, signal }),
        );
        tellExperiment(parts, id);
        return detailOf(parts, id);
      },
    }),
    route({
      method: 'get',
      path: '/imports',
      summary: 'Bundles that are being imported, with how far each is',
      access: 'viewer',
      response: { kind: 'json', status: 200, schema: z.strictObject({ items: z.array(bundleImportSchema) }) },
      handle: () => ({ items: parts.bundles.listImports() }),
    }),
    route({
      method: 'delete',
      path: '/imports/{key}',
      summary: 'Cancel an import; nothing of it is kept',
      access: 'operator',
      params: z.strictObject({ key: z.string().min(1).max(64) }),
      response: { kind: 'nothing' },
      handle: ({ params: { key } }) => {
        if (!parts.bundles.cancelImport(key)) throw notFound('import', key);
      },
    }),
  ];
}
