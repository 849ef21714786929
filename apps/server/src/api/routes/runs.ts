import { Readable } from 'node:stream';
import { type RunFile, type RunSummary, runCode, whySeriesGone } from '@mqttlab/shared/domain/runs/run';
import { type CsvValue, makeCsv } from '../../base/csv.ts';
import type { EncodedJson } from '../../base/encoded-json.ts';
import { conflict, notFound, ProblemError } from '../../base/errors.ts';
import { pageOf } from '../../base/page-of.ts';
import { refreshHeadline } from '../../results/finish-run.ts';
import { takeMeter } from '../../results/store-meter.ts';
import { personOf } from '../guards/identify.ts';
import type { ApiParts } from '../parts.ts';
import { type Caller, on, type Route } from '../route.ts';
import { untilGone } from '../send.ts';
import { tellExperiment } from '../start-experiment.ts';

interface WantedFile {
  id: number;
  name: RunFile['name'];
  device?: string | undefined;
}

/** Of a capture that of one device, for it has one header; of key logs all, one after the other. Throws a 404 problem. */
export function readRunFile({ runs, runFiles }: ApiParts, { id, name, device }: WantedFile): Readable {
  const files = runs.detail(id)?.files ?? [];
  const devices = files.flatMap((file) => (file.name === name ? [file.device] : []));
  const [wanted] = device === undefined ? devices : devices.filter((one) => one === device);
  if (wanted === undefined) throw notFound(`${name} of ${device ?? 'run'}`, id);
  const read = (one: string) => runFiles.read(id, name, one);
  return Readable.from(name === 'keys.log' ? devices.flatMap((one) => [...read(one)]) : read(wanted));
}

/** One Run: its page, raw data and log. */
export function runRoutes(parts: ApiParts): Route[] {
  const encodedDetail = async (id: number, { request }: Caller): Promise<EncodedJson> => {
    const experimentId = parts.runs.experimentOf(id);
    if (experimentId === null) throw notFound('run', id);
    return untilGone(request.socket, (signal) =>
      parts.answers.get('run', id, { experimentIds: [experimentId], signal }),
    );
  };
  return [
    on('GET /runs/{id}', ({ params: { id }, caller }) => encodedDetail(id, caller)),
    on('GET /runs/{id}/raw.json', async ({ params: { id }, caller }) => {
      const { bytes } = await encodedDetail(id, caller);
      const detail: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
      return { name: `run-${id}.json`, body: `${JSON.stringify(detail, null, 1)}\n` };
    }),
    on('GET /runs/{id}/raw.csv', ({ params: { id } }) => {
      const run = parts.runs.find(id);
      if (!run) throw notFound('run', id);
      refuseRemoved(run, 'Save raw.json, or runs.csv of its experiment.');
      return { name: `run-${id}-series.csv`, body: seriesCsv(parts, id) };
    }),
    on('GET /runs/{id}/capture.pcap', ({ params: { id }, query: { device } }) => ({
      name: `run-${id}.pcap`,
      body: readRunFile(parts, { id, name: 'capture.pcap', device }),
    })),
    on('GET /runs/{id}/keys.log', ({ params: { id } }) => ({
      name: `run-${id}-keys.log`,
      body: readRunFile(parts, { id, name: 'keys.log' }),
    })),
    on('GET /runs/{id}/log', ({ params: { id } }) => {
      if (!parts.runs.find(id)) throw notFound('run', id);
      const lines = [
        ...parts.runs.logOf(id).map(({ line }) => line),
        ...parts.runs.results(id).flatMap(({ log }) => log),
      ];
      // A line that was told live and came again with the result is one line.
      const unlike = new Map(lines.map((line) => [`${line.at} ${line.source} ${line.text}`, line]));
      return { items: [...unlike.values()].sort((a, b) => a.at - b.at) };
    }),
    on('GET /experiments/{id}/rows', ({ params: { id }, query: { after = 0, limit }, caller }) => {
      if (!parts.experiments.summary(id)) throw notFound('experiment', id);
      return untilGone(caller.request.socket, (signal) =>
        parts.answers.get('rows', { id, after, limit }, { experimentIds: [id], signal }),
      );
    }),
    on('GET /experiments/{id}/trials', ({ params: { id }, query: { after = 0, limit }, caller }) => {
      if (!parts.experiments.summary(id)) throw notFound('experiment', id);
      return untilGone(caller.request.socket, (signal) =>
        parts.answers.get('trials', { id, after, limit }, { experimentIds: [id], signal }),
      );
    }),
    on('GET /experiments/{id}/runs', ({ params: { id }, query: { before = null, limit }, caller }) => {
      if (!parts.experiments.summary(id)) throw notFound('experiment', id);
      return untilGone(caller.request.socket, (signal) =>
        parts.answers.get('runPage', { id, before, limit }, { experimentIds: [id], signal }),
      );
    }),
    on('GET /experiments/{id}/log', ({ params: { id }, query: { before, limit } }) => {
      if (!parts.experiments.summary(id)) throw notFound('experiment', id);
      const { lines, total } = parts.runs.logOfExperiment(id, { before: before ?? null, limit: limit + 1 });
      const rows = lines.map(({ id: number, runId, line }) => ({ id: number, runId, line }));
      return { ...pageOf(rows, limit), total };
    }),
    ...runNoteRoutes(parts),
    ...meterRoutes(parts),
  ];
}

/** Throws a 410 problem where there are no series any more. */
export function refuseRemoved(run: RunSummary, remedy: string): void {
  const detail = whySeriesGone(run);
  if (detail !== null) throw new ProblemError({ status: 410, detail: `${runCode(run)}: ${detail}`, remedy });
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

/** What people say about a Run; its data stay as they are. */
function runNoteRoutes(parts: ApiParts): Route[] {
  return [
    on('PATCH /runs/{id}', ({ params: { id }, body: { notes, tags, exclusion }, caller }) => {
      const by = personOf(caller.identity);
      const run = parts.runs.find(id);
      if (!run) throw notFound('run', id);
      if (exclusion && run.status !== 'done') {
        throw conflict(
          `${runCode(run)} is ${run.status}: it is in no analysis.`,
          'Exclude finished runs only.',
        );
      }
      parts.runs.update(id, {
        ...(notes === undefined ? {} : { notes }),
        ...(tags === undefined ? {} : { tags: [...new Set(tags)] }),
        ...(exclusion === undefined
          ? {}
          : { exclusion: exclusion && { ...exclusion, at: parts.now(), ...(by === null ? {} : { by }) } }),
      });
      if (exclusion !== undefined) refreshHeadline(parts, run.experimentId);
      const changed = parts.runs.find(id) ?? run;
      parts.bus.publish({ event: 'run', experimentId: run.experimentId, runId: id, data: changed });
      tellExperiment(parts, run.experimentId);
      return changed;
    }),
  ];
}

/** What somebody measured with a meter of their own. */
function meterRoutes(parts: ApiParts): Route[] {
  return [
    on('POST /runs/{id}/meter', ({ params: { id }, query, body }) =>
      takeMeter(parts, id, { query, text: body }),
    ),
  ];
}
