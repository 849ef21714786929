import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Authorship, orcidAddress } from '@mqttlab/shared/domain/authorship';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import { goesAlong, type PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import { marksOf } from '@mqttlab/shared/domain/runs/import-marks';
import { ZipFile } from 'yazl';
import { conflict, notFound } from '../base/errors.ts';
import { storedReport } from '../results/answer-work.ts';
import type { AnalysisStores } from '../results/compare.ts';
import { reportFiles } from '../results/report.ts';
import type { AnswerStore } from '../store/experiments/answer-store.ts';
import type { ExperimentRecord } from '../store/experiments/experiment-store.ts';
import type { RunFileStore } from '../store/runs/run-file-store.ts';
import {
  type BundleKey,
  bundledExperimentSchema,
  bundleFiles,
  bundleVersionOf,
  packetFileOf,
  runFileOf,
} from './bundle-format.ts';
import { csvParts, parquetParts, sampleTable, valueTable } from './experiment-tables.ts';

export interface BundleChoice {
  experimentId: number;
  packets: PacketChoice;
  software: string;
}

interface BundleRequest extends BundleChoice {
  /** Stored answers, which may contain the report. */
  stored: Pick<AnswerStore, 'findAnswer'>;
  key: BundleKey;
  signal: AbortSignal;
}

/** Stores that bundles are written from and imported into. */
export interface BundledStores extends AnalysisStores {
  runFiles: Pick<RunFileStore, 'listRunFiles' | 'readFileParts' | 'saveFilePart'>;
}

const json = 'application/json';

/**
 * Returns an experiment as an RO-Crate zip: plan, every result with series and histograms, tables, report,
 * checksums and signature. The zip is produced while it is being read. Destroying it, or aborting `signal`,
 * ends the work. Throws a problem if the experiment is not finished.
 */
export function writeBundle(stores: BundledStores, request: BundleRequest): Readable {
  const { experimentId, signal } = request;
  const record = stores.experiments.findExperiment(experimentId);
  if (!record || record.deletedAt !== null) throw notFound('experiment', experimentId);
  const { plan, status } = record;
  if (!plan || (status !== 'done' && status !== 'stopped' && status !== 'cancelled')) {
    throw conflict(`Experiment ${experimentId} is ${status}.`, 'Wait until it is finished, or stop it.');
  }
  // The same content gives the same bytes, because no entry contains the time of the export.
  const mtime = new Date(record.finishedAt ?? record.createdAt);
  const zip = new CrateZip(mtime, signal);
  writeContent(zip, { stores, request, record: { ...record, plan } }).then(
    () => zip.end(),
    (error: unknown) => zip.fail(error),
  );
  return zip.output;
}

interface Content {
  stores: BundledStores;
  request: BundleRequest;
  record: ExperimentRecord & { plan: Plan };
}

/** Adds the files one by one; each is read from the database when the consumer is ready. */
async function writeContent(zip: CrateZip, { stores, request, record }: Content): Promise<void> {
  const { experimentId, stored, key, software, signal, packets } = request;
  const { plan } = record;
  const ids: number[] = [];
  await zip.add(
    bundleFiles.experiment,
    experimentText(stores, { request, record, onRun: (id) => ids.push(id) }),
    ['The experiment, its draft, and every run with metrics, verdicts and notes', json],
  );
  await zip.add(bundleFiles.plan, [writeJson(plan)], ['The plan: treatments, order, seed, workload', json]);
  for (const id of ids) {
    signal.throwIfAborted();
    const results = stores.runs.readStoredResults(id);
    if (results.length === 0) continue;
    const about = `Device reports for run ${id}: phases, counters, series, histograms, environment, log`;
    await zip.add(runFileOf(id), [JSON.stringify({ runId: id, results })], [about, json]);
  }
  for (const runId of ids) {
    for (const file of stores.runFiles.listRunFiles(runId).filter(({ name }) => goesAlong(packets, name))) {
      const isKeys = file.name === 'keys.log';
      await zip.add(
        packetFileOf(runId, file),
        stores.runFiles.readFileParts(runId, file.name, file.device),
        isKeys
          ? [`TLS keys of the clients in run ${runId}, which decrypt its capture`, 'text/plain']
          : [`Packets at the broker's port in run ${runId}`, 'application/vnd.tcpdump.pcap'],
        // Stored uncompressed, so that the compression ratio stays below the limit for zip bombs.
        { compress: false },
      );
    }
  }
  const parquet = 'application/vnd.apache.parquet';
  const values = valueTable(stores, experimentId);
  await zip.add('data/values.csv', csvParts(values), ['One row for each run and metric', 'text/csv']);
  await zip.add('data/values.parquet', parquetParts(values), ['One row for each run and metric', parquet]);
  const samples = parquetParts(sampleTable(stores, experimentId));
  await zip.add('data/samples.parquet', samples, ['One row for each sample', parquet]);
  const tools = { stores, stored, software, onProgress: () => {} };
  const report = await storedReport(tools, { experimentId, takesFlagged: false });
  for (const { path, parts, description, format } of reportFiles(report)) {
    await zip.add(path, parts, [description, format]);
  }
  const manifest = zip.files.map(({ sha256, path }) => `${sha256}  ${path}\n`).join('');
  await zip.add(bundleFiles.manifest, [manifest], ['SHA-256 of every other file', 'text/plain']);
  await zip.add(
    bundleFiles.signature,
    [key.sign(Buffer.from(manifest))],
    ['Ed25519 signature of the manifest', 'application/octet-stream'],
  );
  await zip.add(
    bundleFiles.signer,
    [key.publicPem],
    ['Public key of the server that signed', 'application/x-pem-file'],
  );
  const metadata = makeCrateMetadata({
    name: record.name,
    description: plan.question,
    datePublished: zip.mtime.toISOString(),
    keywords: record.tags,
    software,
    files: zip.files,
    authorship: stores.experiments.findAuthorship(record) ?? null,
  });
  await zip.add(bundleFiles.metadata, [metadata], null);
}

interface ExperimentText extends Pick<Content, 'request' | 'record'> {
  onRun(id: number): void;
}

/** Yields the same output as JSON.stringify with one space; the runs are the last part. */
async function* experimentText(
  stores: BundledStores,
  { request: { experimentId, software }, record, onRun }: ExperimentText,
): AsyncGenerator<string> {
  const { status, createdAt, startedAt, finishedAt, draft, imported } = record;
  const authorship = stores.experiments.findAuthorship(record);
  const marks = { ...marksOf(imported), ...(authorship ? { authorship } : {}) };
  const head = bundledExperimentSchema.parse({
    bundleVersion: bundleVersionOf(marks),
    software,
    id: experimentId,
    status,
    createdAt,
    startedAt,
    finishedAt,
    draft,
    ...marks,
    runs: [],
    definitions: stores.runs.findEarliestDefinitions(experimentId),
  });
  yield writeJson(head).slice(0, -'[]\n}\n'.length);
  let written = 0;
  for await (const run of stores.runs.eachRun(experimentId)) {
    const { measuredAt, overheadMs } = stores.runs.findRunTimes(run.id);
    const bundled = bundledExperimentSchema.shape.runs.element.parse({ ...run, measuredAt, overheadMs });
    onRun(run.id);
    yield `${written === 0 ? '[\n' : ',\n'}  ${JSON.stringify(bundled, null, 1).replaceAll('\n', '\n  ')}`;
    written += 1;
  }
  yield `${written === 0 ? '[]' : '\n ]'}\n}\n`;
}

function writeJson(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}

type Parts = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * A zip whose files are produced one after the other while it is being read. Records the size and checksum of
 * each file.
 */
export class CrateZip {
  readonly mtime: Date;
  /** Files added so far that have a description. */
  readonly files: CrateFile[] = [];
  readonly #zip = new ZipFile();
  readonly #ended = new AbortController();

  constructor(mtime: Date, signal: AbortSignal) {
    this.mtime = mtime;
    const stop = (): void => void this.output.destroy(toError(signal.reason));
    signal.addEventListener('abort', stop, { once: true });
    this.output.once('close', () => {
      signal.removeEventListener('abort', stop);
      this.#ended.abort(new Error('The reader of the bundle has disconnected.'));
    });
    if (signal.aborted) stop();
  }

  get output(): Readable {
    return this.#zip.outputStream as Readable;
  }

  /**
   * Adds a file. Resolves when the reader has received the whole file. Rejects if the zip was destroyed
   * before, or if `parts` throws.
   */
  async add(
    path: string,
    parts: Parts,
    about: [description: string, format: string] | null,
    { compress = true }: { compress?: boolean } = {},
  ): Promise<void> {
    this.#ended.signal.throwIfAborted();
    const hash = createHash('sha256');
    let bytes = 0;
    async function* measured(): AsyncGenerator<Buffer> {
      for await (const part of parts) {
        const buffer = Buffer.from(part);
        hash.update(buffer);
        bytes += buffer.length;
        yield buffer;
        await yieldToEventLoop();
      }
    }
    // Only one part is buffered at a time, because a part is as large as the content of a run.
    const content = Readable.from(measured(), { objectMode: false, highWaterMark: 1 });
    const taken = once(content, 'end', { signal: this.#ended.signal });
    this.#zip.addReadStreamLazy(path, { mtime: this.mtime, compress }, handOver(content));
    releasePool(this.#zip);
    try {
      await taken;
    } catch (error) {
      content.destroy();
      throw this.#ended.signal.aborted ? this.#ended.signal.reason : error;
    }
    if (about === null) return;
    const [description, encodingFormat] = about;
    this.files.push({ path, bytes, sha256: hash.digest('hex'), description, encodingFormat });
  }

  end(): void {
    this.#zip.end();
  }

  /** Ends the output with an error, so that the output does not look complete. */
  fail(error: unknown): void {
    this.output.destroy(toError(error));
  }
}

/**
 * Returns a function with which yazl opens a stream. yazl stores the function with each entry until the end,
 * so the function must not retain the stream.
 */
function handOver(stream: Readable): (take: (error: null, stream: Readable) => void) => void {
  let held: Readable | null = stream;
  return (take) => {
    const given = held;
    held = null;
    if (given) take(null, given);
  };
}

/**
 * Copies the name of the last entry, which yazl keeps until the end. The name is a slice of Node's pool of
 * small buffers, and would keep 64 kB of file contents in memory.
 */
function releasePool(zip: ZipFile): void {
  const { entries } = zip as unknown as { entries: { utf8FileName: Uint8Array }[] };
  const entry = entries.at(-1);
  if (entry) entry.utf8FileName = Buffer.from(Uint8Array.from(entry.utf8FileName).buffer);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** Metadata of a file in the bundle. */
interface CrateFile {
  path: string;
  bytes: number;
  sha256: string;
  description: string;
  encodingFormat: string;
}

interface Crate {
  name: string;
  description: string;
  /** ISO 8601. */
  datePublished: string;
  keywords: readonly string[];
  software: string;
  files: readonly CrateFile[];
  /** Author, licence and funding; null if nothing is stated. */
  authorship: Authorship | null;
}

/**
 * Returns ro-crate-metadata.json according to RO-Crate 1.2: every file is an entity with size, type and
 * checksum.
 */
function makeCrateMetadata({
  name,
  description,
  datePublished,
  keywords,
  software,
  files,
  authorship,
}: Crate): string {
  const version = software.replace(/^mqttlab /, '');
  const stated = statementsOf(authorship);
  const graph = [
    {
      '@id': 'ro-crate-metadata.json',
      '@type': 'CreativeWork',
      conformsTo: { '@id': 'https://w3id.org/ro/crate/1.2' },
      about: { '@id': './' },
    },
    {
      '@id': './',
      '@type': 'Dataset',
      name,
      description: description || name,
      datePublished,
      keywords: [...keywords],
      license: 'The authors of the data choose its license.',
      ...stated.properties,
      hasPart: files.map(({ path }) => ({ '@id': path })),
      mentions: { '@id': '#made' },
    },
    {
      '@id': '#made',
      '@type': 'CreateAction',
      name: 'The runs in the experiment and their report',
      endTime: datePublished,
      instrument: { '@id': '#mqttlab' },
      object: { '@id': 'plan.json' },
      result: { '@id': './' },
    },
    {
      '@id': '#mqttlab',
      '@type': 'SoftwareApplication',
      name: 'mqttlab',
      version,
      softwareVersion: software,
      // A package URL, because RO-Crate 1.2 requires an address and mqttlab has no home page.
      url: `pkg:generic/mqttlab@${version}`,
    },
    {
      '@id': 'https://w3id.org/ro/terms/workflow-run#sha256',
      '@type': 'rdf:Property',
      name: 'sha256',
      description: 'SHA-256 of the file, hexadecimal',
    },
    ...stated.entities,
    ...files.map(({ path, bytes, sha256, description: what, encodingFormat }) => ({
      '@id': path,
      '@type': 'File',
      name: path,
      description: what,
      contentSize: String(bytes),
      encodingFormat,
      sha256,
    })),
  ];
  const context = [
    'https://w3id.org/ro/crate/1.2/context',
    { sha256: 'https://w3id.org/ro/terms/workflow-run#sha256' },
  ];
  return `${JSON.stringify({ '@context': context, '@graph': graph }, null, 1)}\n`;
}

type Entity = Record<string, unknown>;

/**
 * Returns the properties of the data set with author, licence and funding, and the entities that these
 * properties refer to.
 */
function statementsOf(authorship: Authorship | null): { properties: Entity; entities: Entity[] } {
  const properties: Entity = {};
  const entities: Entity[] = [];
  const refer = (property: string, entity: Entity & { '@id': string }): void => {
    properties[property] = { '@id': entity['@id'] };
    entities.push(entity);
  };
  if (authorship === null) return { properties, entities };
  const { author, orcid, affiliation, licence, funding } = authorship;
  const isPerson = author !== '' || orcid !== '';
  if (isPerson) {
    refer('author', {
      '@id': orcid === '' ? '#author' : orcidAddress(orcid),
      '@type': 'Person',
      name: author || orcid,
      ...(affiliation === '' ? {} : { affiliation: { '@id': '#affiliation' } }),
    });
  }
  if (affiliation !== '') {
    const organisation = { '@id': '#affiliation', '@type': 'Organization', name: affiliation };
    if (isPerson) entities.push(organisation);
    else refer('author', organisation);
  }
  if (licence !== '') {
    const url = `https://spdx.org/licenses/${licence}`;
    refer('license', { '@id': url, '@type': 'CreativeWork', name: licence, identifier: licence, url });
  }
  if (funding !== '') refer('funding', { '@id': '#funding', '@type': 'Grant', name: funding });
  return { properties, entities };
}
