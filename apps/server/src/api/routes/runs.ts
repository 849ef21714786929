import { Readable } from 'node:stream';
import { type RunFile, type RunSummary, runCode, whySeriesGone } from '@mqttlab/shared/domain/runs/run';
import { type CsvValue, makeCsv } from '../../base/csv.ts';
import type { EncodedJson } from '../../base/encoded-json.ts';
import { conflict, notFound, ProblemError } from '../../base/errors.ts';
import { refreshHeadline } from '../../results/finish-run.ts';
import { takeMeter } from '../../results/store-meter.ts';
import { pageOf } from '../../store/table.ts';
import { personOf } from '../guards/identify.ts';
import { type Caller, on, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { publishExperiment } from '../start-experiment.ts';

interface WantedFile {
  id: number;
  name: RunFile['name'];
  device?: string | undefined;
}

/**
 * Returns a stored file of a run. A capture needs a device, because it has a single header; the key logs of
 * all devices are joined. Throws a 404 problem.
 */
export function readRunFile({ stores: { runFiles } }: Services, { id, name, device }: WantedFile): Readable {
  const devices = runFiles.listRunFiles(id).flatMap((file) => (file.name === name ? [file.device] : []));
  const [wanted] = device === undefined ? devices : devices.filter((one) => one === device);
  if (wanted === undefined) throw notFound(`${name} of ${device ?? 'run'}`, id);
  const read = (one: string) => runFiles.readFileParts(id, name, one);
  return Readable.from(name === 'keys.log' ? devices.flatMap((one) => [...read(one)]) : read(wanted));
}

/** Serves the page, raw data and log of a run. */
export function runRoutes(services: Services): Route[] {
  const encodedDetail = async (id: number, { signal }: Caller): Promise<EncodedJson> => {
    const experimentId = services.stores.runs.findExperimentOfRun(id);
    if (experimentId === null) throw notFound('run', id);
    return services.answers.getAnswer('run', id, { experimentIds: [experimentId], signal });
  };
  return [
    on('GET /runs/{id}', ({ params: { id }, caller }) => encodedDetail(id, caller)),
    on('GET /runs/{id}/raw.json', async ({ params: { id }, caller }) => {
      const { bytes } = await encodedDetail(id, caller);
      const detail: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
      return { name: `run-${id}.json`, body: `${JSON.stringify(detail, null, 1)}\n` };
    }),
    on('GET /runs/{id}/raw.csv', ({ params: { id } }) => {
      const run = services.stores.runs.findRun(id);
      if (!run) throw notFound('run', id);
      refuseRemoved(run, 'Save raw.json, or runs.csv of its experiment.');
      return { name: `run-${id}-series.csv`, body: seriesCsv(services, id) };
    }),
    on('GET /runs/{id}/capture.pcap', ({ params: { id }, query: { device } }) => ({
      name: `run-${id}.pcap`,
      body: readRunFile(services, { id, name: 'capture.pcap', device }),
    })),
    on('GET /runs/{id}/keys.log', ({ params: { id } }) => ({
      name: `run-${id}-keys.log`,
      body: readRunFile(services, { id, name: 'keys.log' }),
    })),
    on('GET /runs/{id}/log', ({ params: { id } }) => {
      if (!services.stores.runs.findRun(id)) throw notFound('run', id);
      const lines = [
        ...services.stores.runs.listRunLogLines(id).map(({ line }) => line),
        ...services.stores.runs.listRoleResults(id).flatMap(({ log }) => log),
      ];
      // A line that was sent both live and with the result is only listed once.
      const unlike = new Map(lines.map((line) => [`${line.at} ${line.source} ${line.text}`, line]));
      return { items: [...unlike.values()].sort((a, b) => a.at - b.at) };
    }),
    on('GET /experiments/{id}/rows', ({ params: { id }, query: { after = 0, limit }, caller }) => {
      if (!services.stores.experiments.findExperimentSummary(id)) throw notFound('experiment', id);
      return services.answers.getAnswer(
        'rows',
        { id, after, limit },
        { experimentIds: [id], signal: caller.signal },
      );
    }),
    on('GET /experiments/{id}/trials', ({ params: { id }, query: { after = 0, limit }, caller }) => {
      if (!services.stores.experiments.findExperimentSummary(id)) throw notFound('experiment', id);
      return services.answers.getAnswer(
        'trials',
        { id, after, limit },
        { experimentIds: [id], signal: caller.signal },
      );
    }),
    on('GET /experiments/{id}/runs', ({ params: { id }, query: { before = null, limit }, caller }) => {
      if (!services.stores.experiments.findExperimentSummary(id)) throw notFound('experiment', id);
      return services.answers.getAnswer(
        'runPage',
        { id, before, limit },
        { experimentIds: [id], signal: caller.signal },
      );
    }),
    on('GET /experiments/{id}/log', ({ params: { id }, query: { before, limit } }) => {
      if (!services.stores.experiments.findExperimentSummary(id)) throw notFound('experiment', id);
      const { lines, total } = services.stores.runs.readExperimentLog(id, {
        before: before ?? null,
        limit: limit + 1,
      });
      const rows = lines.map(({ id: number, runId, line }) => ({ id: number, runId, line }));
      return { ...pageOf(rows, limit), total };
    }),
    ...runNoteRoutes(services),
    ...meterRoutes(services),
  ];
}

/** Throws a 410 problem if the series were removed. */
export function refuseRemoved(run: RunSummary, remedy: string): void {
  const detail = whySeriesGone(run);
  if (detail !== null) throw new ProblemError({ status: 410, detail: `${runCode(run)}: ${detail}`, remedy });
}

function seriesCsv(services: Services, id: number): string {
  function* rows(): Generator<CsvValue[]> {
    for (const { deviceId, result } of services.stores.runs.readStoredResults(id)) {
      for (const { metric, unit, timesMs, values } of result.series) {
        for (const [index, value] of values.entries()) {
          yield [result.role, deviceId, metric, unit, timesMs[index] ?? null, value];
        }
      }
    }
  }
  return makeCsv(['role', 'device', 'metric', 'unit', 'time_ms', 'value'], rows());
}

/** Handles user edits of a run; the data of the run never change. */
function runNoteRoutes(services: Services): Route[] {
  return [
    on('PATCH /runs/{id}', ({ params: { id }, body: { notes, tags, exclusion }, caller }) => {
      const by = personOf(caller.identity);
      const run = services.stores.runs.findRun(id);
      if (!run) throw notFound('run', id);
      if (exclusion && run.status !== 'done') {
        throw conflict(
          `${runCode(run)} is ${run.status}: it is not part of any analysis.`,
          'Exclude finished runs only.',
        );
      }
      services.stores.runs.updateRun(id, {
        ...(notes === undefined ? {} : { notes }),
        ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
        ...(exclusion === undefined
          ? {}
          : {
              exclusion: exclusion && {
                ...exclusion,
                at: services.system.now(),
                ...(by === null ? {} : { by }),
              },
            }),
      });
      if (exclusion !== undefined) refreshHeadline(services.stores, run.experimentId);
      const changed = services.stores.runs.findRun(id) ?? run;
      services.live.publish({ event: 'run', experimentId: run.experimentId, runId: id, data: changed });
      publishExperiment(services, run.experimentId);
      return changed;
    }),
  ];
}

/** Handles readings from an external power meter. */
function meterRoutes(services: Services): Route[] {
  return [
    on('POST /runs/{id}/meter', ({ params: { id }, query, body }) =>
      takeMeter(services.stores, id, { query, text: body }),
    ),
  ];
}
