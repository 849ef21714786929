import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as breathe } from 'node:timers/promises';
import type { Report } from '@mqttlab/shared/domain/report/report';
import { goesAlong, type PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import { makeDocumentHtml } from '@mqttlab/shared/figures/document/document-html';
import { makeDocument } from '@mqttlab/shared/figures/document/make-document';
import { printPalette } from '@mqttlab/shared/figures/drawing/palette';
import { toSvgText } from '@mqttlab/shared/figures/drawing/svg';
import { ZipFile } from 'yazl';
import type { AnalysisStores } from '../analysis/select-runs.ts';
import { conflict, notFound } from '../base/errors.ts';
import type { RunFileStore } from '../store/runs/run-file-store.ts';
import {
  bundledExperimentSchema,
  bundleFiles,
  bundleVersion,
  packetFileOf,
  runFileOf,
} from './bundle-format.ts';
import type { BundleKey } from './bundle-key.ts';
import { csvParts, parquetBytes } from './data-table.ts';
import { sampleTable, valueTable } from './experiment-tables.ts';
import { type CrateFile, makeCrateMetadata } from './ro-crate.ts';

export interface BundleRequest {
  experimentId: number;
  report: Report;
  packets: PacketChoice;
  key: BundleKey;
  software: string;
  signal: AbortSignal;
}

/** What a bundle is written from and read into. */
export interface BundledStores extends AnalysisStores {
  runFiles: Pick<RunFileStore, 'list' | 'read' | 'savePart'>;
}

/** Columns of prose widths; figures are as wide as an A4 page. */
const figureWidthMm = 170;

/**
 * An experiment as an RO-Crate zip: plan, every result with series and histograms, tables, report, checksums and
 * signature. Throws a problem where there is nothing finished to take away.
 */
export async function writeBundle(stores: BundledStores, request: BundleRequest): Promise<Readable> {
  const { experimentId, report, key, software, signal, packets } = request;
  const record = stores.experiments.find(experimentId);
  if (!record || record.deletedAt !== null) throw notFound('experiment', experimentId);
  const { plan, status } = record;
  if (!plan || (status !== 'done' && status !== 'stopped' && status !== 'cancelled')) {
    throw conflict(`Experiment ${experimentId} is ${status}.`, 'Wait until it is finished, or stop it.');
  }
  const zip = new ZipFile();
  const files: CrateFile[] = [];
  // Same content, same bytes: no entry carries the time of the export.
  const mtime = new Date(record.finishedAt ?? record.createdAt);
  const add = (
    path: string,
    content: string | Uint8Array,
    about: [description: string, format: string],
  ): void => {
    const bytes = Buffer.from(content);
    zip.addBuffer(bytes, path, { mtime });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    files.push({ path, bytes: bytes.length, sha256, description: about[0], encodingFormat: about[1] });
  };
  const json = 'application/json';
  const { createdAt, startedAt, finishedAt, draft } = record;
  const ids: number[] = [];
  const runs: string[] = [];
  for await (const run of stores.runs.eachOf(experimentId)) {
    const { measuredAt, overheadMs } = stores.runs.timesOf(run.id);
    const bundled = bundledExperimentSchema.shape.runs.element.parse({ ...run, measuredAt, overheadMs });
    ids.push(run.id);
    runs.push(JSON.stringify(bundled, null, 1));
  }
  const head = bundledExperimentSchema.parse({
    bundleVersion,
    software,
    id: experimentId,
    status,
    createdAt,
    startedAt,
    finishedAt,
    draft,
    runs: [],
    definitions: stores.runs.earliestDefinitions(experimentId),
  });
  await breathe();
  // As if written at once: runs are the last of it.
  const listed = runs.map((run) => `  ${run.replaceAll('\n', '\n  ')}`).join(',\n');
  const list = runs.length === 0 ? '[]' : `[\n${listed}\n ]`;
  const text = `${writeJson(head).slice(0, -'[]\n}\n'.length)}${list}\n}\n`;
  add(bundleFiles.experiment, text, [
    'The experiment, its draft, and every run with metrics, verdicts and notes',
    json,
  ]);
  await breathe();
  add(bundleFiles.plan, writeJson(plan), ['The plan: treatments, order, seed, workload', json]);
  for (const id of ids) {
    signal.throwIfAborted();
    const results = stores.runs.storedResults(id);
    if (results.length === 0) continue;
    const about = `What the devices reported of run ${id}: phases, counters, series, histograms, environment, log`;
    add(runFileOf(id), JSON.stringify({ runId: id, results }), [about, json]);
    await breathe();
  }
  for (const runId of ids) {
    for (const file of stores.runFiles.list(runId).filter(({ name }) => goesAlong(packets, name))) {
      signal.throwIfAborted();
      const parts = () => stores.runFiles.read(runId, file.name, file.device);
      const hash = createHash('sha256');
      let bytes = 0;
      for (const part of parts()) {
        hash.update(part);
        bytes += part.length;
        await breathe();
      }
      const path = packetFileOf(runId, file);
      // Read once more when its turn comes, so that memory holds one part only; as it is, so that no zip bomb is like it.
      zip.addReadStreamLazy(path, { mtime, size: bytes, compress: false }, (take) =>
        take(null, Readable.from(parts())),
      );
      const isKeys = file.name === 'keys.log';
      files.push({
        path,
        bytes,
        sha256: hash.digest('hex'),
        description: isKeys
          ? `TLS keys of clients of run ${runId}: whoever has them reads its capture`
          : `Packets of run ${runId} at the port of the broker`,
        encodingFormat: isKeys ? 'text/plain' : 'application/vnd.tcpdump.pcap',
      });
    }
  }
  const parquet = 'application/vnd.apache.parquet';
  const values = valueTable(stores, experimentId);
  const lines: string[] = [];
  for await (const line of csvParts(values)) lines.push(line);
  add('data/values.csv', lines.join(''), ['One row for each run and metric', 'text/csv']);
  add('data/values.parquet', await parquetBytes(values), ['One row for each run and metric', parquet]);
  signal.throwIfAborted();
  add('data/samples.parquet', await parquetBytes(sampleTable(stores, experimentId)), [
    'One row for each sample',
    parquet,
  ]);
  await breathe();
  add('report/report.json', writeJson(report), ['The numbers of the report', json]);
  await breathe();
  add('report/report.html', makeDocumentHtml(report), ['The report, to read and to print', 'text/html']);
  await breathe();
  for (const block of makeDocument(report, printPalette)) {
    if (block.kind !== 'figure') continue;
    await breathe();
    const path = `report/figures/figure-${String(block.number).padStart(2, '0')}.svg`;
    add(path, toSvgText(block.picture, { widthMm: figureWidthMm }), [block.title, 'image/svg+xml']);
  }
  const manifest = files.map(({ sha256, path }) => `${sha256}  ${path}\n`).join('');
  add(bundleFiles.manifest, manifest, ['SHA-256 of every other file', 'text/plain']);
  add(bundleFiles.signature, key.sign(Buffer.from(manifest)), [
    'Ed25519 signature of the manifest',
    'application/octet-stream',
  ]);
  add(bundleFiles.signer, key.publicPem, ['Public key of the server that signed', 'application/x-pem-file']);
  const metadata = makeCrateMetadata({
    name: record.name,
    description: plan.question,
    datePublished: mtime.toISOString(),
    keywords: record.tags,
    software,
    files,
  });
  zip.addBuffer(Buffer.from(metadata), bundleFiles.metadata, { mtime });
  zip.end();
  return zip.outputStream as Readable;
}

function writeJson(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
