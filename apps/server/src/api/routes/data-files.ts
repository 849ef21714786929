import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { sumPackets } from '@mqttlab/shared/domain/runs/capture';
import { notFound, ProblemError } from '../../base/errors.ts';
import {
  csvParts,
  type DataTable,
  parquetParts,
  sampleTable,
  valueTable,
} from '../../exchange/experiment-tables.ts';
import { type Caller, fileNameOf, on, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { detailOf, markSuffix, publishExperiment, recordOf } from '../start-experiment.ts';
import { refuseRemoved } from './runs.ts';

const tables = {
  values: { make: valueTable, what: 'one row for each run and metric' },
  samples: { make: sampleTable, what: 'one row for each sample' },
} as const;
/**
 * Returns the suffix for the name of a file in which runs are missing. Throws a 410 problem if all runs are
 * missing.
 */
function withoutRemoved(services: Services, experimentId: number): string {
  const { done, removed, firstRemoved } = services.stores.runs.countRemovedSeries(experimentId);
  if (removed === 0) return '';
  const first = removed === done && firstRemoved !== null ? services.stores.runs.findRun(firstRemoved) : null;
  if (first) refuseRemoved(first, 'Save values.csv: one row for each run and metric.');
  return `-without-${removed}-runs-removed`;
}

const formats = {
  csv: { bodyOf: (table: DataTable) => Readable.from(csvParts(table)) },
  parquet: { bodyOf: (table: DataTable) => Readable.from(parquetParts(table)) },
} as const;

/** Exports experiments as tidy tables and research bundles, and imports bundles and foreign values. */
export function dataFileRoutes(services: Services): Route[] {
  return [
    ...(Object.keys(tables) as (keyof typeof tables)[]).flatMap((name) =>
      (Object.keys(formats) as (keyof typeof formats)[]).map((format) => {
        const { bodyOf } = formats[format];
        return on(`GET /experiments/{id}/${name}.${format}`, async ({ params: { id } }) => {
          const record = recordOf(services, id, { live: false });
          const without = name === 'samples' ? withoutRemoved(services, id) : '';
          return {
            name: fileNameOf(`E-${id}${markSuffix(record)}-${name}${without}`, record.name, format),
            body: bodyOf(tables[name].make(services.stores, id)),
          };
        });
      }),
    ),
    on('GET /experiments/{id}/bundle.zip', async ({ params: { id }, query: { packets }, caller }) => {
      if (packets === 'captures and keys') requireOperator(caller);
      const record = recordOf(services, id, { live: false });
      const body = await services.bundles.exportBundle(id, caller.signal, packets);
      return { name: fileNameOf(`E-${id}${markSuffix(record)}-bundle`, record.name, 'zip'), body };
    }),
    on('GET /experiments/{id}/packets', ({ params: { id } }) => {
      if (!services.stores.experiments.findExperimentSummary(id)) throw notFound('experiment', id);
      return sumPackets(services.stores.runFiles.listFilesOfExperiment(id));
    }),
    on('GET /experiments/{id}/stored.ndjson', ({ params: { id } }) => {
      const summary = services.stores.experiments.findExperimentSummary(id);
      if (!summary) throw notFound('experiment', id);
      const name = fileNameOf(`E-${id}-stored`, summary.name, 'ndjson');
      return { name, body: Readable.from(services.stores.experiments.readStoredRows(id)) };
    }),
    on(
      'POST /experiments/import-bundle',
      async ({ query: { key = randomUUID(), altered }, caller: { request, signal } }) => {
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
        const id = await services.bundles.receiveBundle({
          packed: request,
          key,
          totalBytes,
          signal,
          acceptsAltered: altered === 'accept',
        });
        publishExperiment(services, id);
        return detailOf(services, id);
      },
    ),
    on('POST /experiments/import-foreign', async ({ body, caller: { signal } }) => {
      const id = await services.bundles.receiveForeign(body, signal);
      publishExperiment(services, id);
      return detailOf(services, id);
    }),
    on('GET /imports', () => ({ items: services.bundles.listImports() })),
    on('DELETE /imports/{key}', ({ params: { key } }) => {
      if (!services.bundles.cancelImport(key)) throw notFound('import', key);
    }),
  ];
}

/** Same rule as for the key log of a single run. */
function requireOperator({ identity }: Caller): void {
  if (identity?.role !== 'viewer') return;
  throw new ProblemError({
    status: 403,
    detail: 'Viewers cannot export key logs, which decrypt the recorded traffic.',
    remedy: 'Ask an operator, or leave out the key logs.',
  });
}
