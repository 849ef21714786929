import { documentHtmlParts, makeDocumentHtml } from '@mqttlab/charts/document/document-html';
import { bibtexOf, citationFileOf } from '@mqttlab/charts/document/for-paper';
import { makeDocument } from '@mqttlab/charts/document/make-document';
import { printPalette } from '@mqttlab/charts/drawing/palette';
import { toSvgText } from '@mqttlab/charts/drawing/svg';
import { countingRuns } from '@mqttlab/shared/analysis/counting-runs';
import type { ReportRunData } from '@mqttlab/shared/analysis/report/add-up-runs';
import type { ReportInput } from '@mqttlab/shared/analysis/report/report-input';
import { isBrokerProcessKnown, machineOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { mergeResults } from '@mqttlab/shared/catalogue/evidence/merge-results';
import type { Plan } from '@mqttlab/shared/domain/plans/plan';
import type { Report } from '@mqttlab/shared/domain/report/report';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { RunSummary } from '@mqttlab/shared/domain/runs/run';
import type { Verdict } from '@mqttlab/shared/domain/runs/verdict';
import { needsStability } from '@mqttlab/studies/studies';
import { conflict, notFound } from '../base/errors.ts';
import type { AnalysisStores } from './compare.ts';

export interface ReportQuestion {
  experimentId: number;
  takesFlagged: boolean;
}

/**
 * Reads the summaries of all runs; their results and series are read while the report is being created.
 * Rejects with a 404 or 409 problem if there is nothing to report on.
 */
export async function collectReport(
  stores: AnalysisStores,
  { experimentId: id, takesFlagged, software }: ReportQuestion & { software: string },
): Promise<ReportInput> {
  const record = stores.experiments.findExperiment(id);
  const summary = stores.experiments.findExperimentSummary(id);
  if (!record || !summary || record.deletedAt !== null) throw notFound('experiment', id);
  const { plan } = record;
  if (!plan) {
    throw conflict(`Experiment ${id} is a draft: it has no runs to report on.`, 'Start it first.');
  }
  const runs = await readCompactRuns(stores.runs.eachRun(id));
  const { name, question, status, startedAt, finishedAt, testbedId, notes, tags, imported } = summary;
  const results = new ResultReader(stores, plan);
  const authorship = stores.experiments.findAuthorship(summary);
  return {
    experiment: {
      id,
      name,
      question,
      status,
      startedAt,
      finishedAt,
      testbedId,
      notes,
      tags,
      imported,
      ...(authorship ? { authorship } : {}),
    },
    plan,
    runs,
    data: results.data(countingRuns(runs, true)),
    series: (runIds, which) => results.series(runIds, which),
    takesFlagged,
    needsStability: needsStability(tags),
    software,
  };
}

const runsAtOnce = 50;

class ResultReader {
  readonly #runs: AnalysisStores['runs'];
  readonly #specs: Map<string, Plan['treatments'][number]['spec']>;
  /** Indexes of a run's devices within their roles; runs with one device per role are absent. */
  readonly #places = new Map<number, Map<string, number>>();

  constructor({ runs }: AnalysisStores, { treatments }: Plan) {
    this.#runs = runs;
    this.#specs = new Map(treatments.map(({ key, spec }) => [key, spec]));
  }

  *data(runs: readonly RunSummary[]): Generator<ReportRunData> {
    for (const { id, treatmentKey } of runs) {
      const stored = this.#runs.readStoredResults(id, { withSeries: false });
      const results = stored.map(({ result }) => result);
      if (new Set(results.map(({ role }) => role)).size < results.length) {
        this.#places.set(id, new Map(stored.map(({ deviceId }, place) => [deviceId, place])));
      }
      const spec = this.#specs.get(treatmentKey);
      yield dataOf(id, results, !spec || isBrokerProcessKnown({ spec, results }));
    }
  }

  *series(runIds: readonly number[], which: { role: string; metric: string }) {
    for (let at = 0; at < runIds.length; at += runsAtOnce) {
      const found = this.#runs.readSeries(runIds.slice(at, at + runsAtOnce), which);
      yield* found.sort((a, b) => a.runId - b.runId || this.#placeOf(a) - this.#placeOf(b));
    }
  }

  #placeOf({ runId, deviceId }: { runId: number; deviceId: string }): number {
    return this.#places.get(runId)?.get(deviceId) ?? 0;
  }
}

function dataOf(runId: number, results: readonly RoleResult[], isBrokerKnown: boolean): ReportRunData {
  return {
    runId,
    latency: results.flatMap(({ role, latency }) => (role === 'subscriber' && latency ? [latency] : [])),
    phases: mergeResults(results.filter(({ role }) => role === 'publisher'))?.phases ?? [],
    rolePhases: [...new Set(results.map(({ role }) => role))].map((role) => ({
      role,
      phases: mergeResults(results.filter((result) => result.role === role))?.phases ?? [],
    })),
    energy: results.flatMap((result) =>
      result.energy && (isBrokerKnown || result.role !== 'broker')
        ? [{ role: result.role, energy: result.energy, machine: machineOf(result) }]
        : [],
    ),
    radio: results.flatMap(({ role, device, share, radio }) =>
      radio ? [{ role, device, share, radio }] : [],
    ),
    captured: results.flatMap(({ role, device, share, capture }) =>
      capture ? [{ role, device, share, capture }] : [],
    ),
  };
}

type Metrics = RunSummary['metrics'];

/**
 * Returns the summaries of all runs in an experiment for analysis, with low memory use: metrics are views of
 * columns of numbers, and runs share equal verdicts and bases. Passed verdicts have no evidence.
 */
export async function readCompactRuns(runs: AsyncIterable<RunSummary>): Promise<RunSummary[]> {
  const columns = new MetricColumns();
  const shared = new Map<string, unknown>();
  const share = <T>(value: T): T => {
    const key = JSON.stringify(value);
    const known = shared.get(key);
    if (known === undefined) shared.set(key, value);
    return (known ?? value) as T;
  };
  const compact: RunSummary[] = [];
  for await (const { metrics, verdicts, bases, ...run } of runs) {
    compact.push({
      ...run,
      treatmentKey: share(run.treatmentKey),
      tags: share(run.tags),
      verdicts: verdicts.some(({ status }) => status === 'failed')
        ? verdicts.map((verdict) => (verdict.status === 'failed' ? verdict : share(withoutEvidence(verdict))))
        : share(verdicts.map(withoutEvidence)),
      metrics: columns.add(metrics),
      ...(bases ? { bases: share(bases) } : {}),
    });
  }
  return compact;
}

function withoutEvidence(verdict: Verdict): Verdict {
  return { ...verdict, evidence: '' };
}

/** Values from all runs, by metric. */
class MetricColumns {
  readonly #columns = new Map<string, number[]>();
  readonly #View = class {
    readonly row: number;
    constructor(row: number) {
      this.row = row;
    }
  };
  #rows = 0;

  /** Adds the values of one run. Returns a view of them whose properties can be read but not enumerated. */
  add(metrics: Metrics): Metrics {
    const row = this.#rows;
    this.#rows += 1;
    for (const [metric, value] of Object.entries(metrics)) {
      const column = this.#columns.get(metric) ?? this.#addColumn(metric);
      while (column.length < row) column.push(Number.NaN);
      column.push(value ?? Number.NaN);
    }
    return new this.#View(row) as unknown as Metrics;
  }

  #addColumn(metric: string): number[] {
    const column: number[] = [];
    this.#columns.set(metric, column);
    Object.defineProperty(this.#View.prototype, metric, {
      get(this: { row: number }) {
        const value = column[this.row];
        return value === undefined || Number.isNaN(value) ? null : value;
      },
    });
    return column;
  }
}

/** Width of the figures in a bundle: an A4 page without its margins. */
const figureWidthMm = 170;

interface ReportFile {
  /** File name in the bundle. */
  path: string;
  description: string;
  /** Media type. */
  format: string;
  parts: Iterable<string>;
}

/** Returns the file of a report: numbers as JSON, or a document as HTML. */
export function makeReportFile(report: Report, format: 'json' | 'html'): Uint8Array {
  if (format === 'html') return Buffer.from(makeDocumentHtml(report));
  return Buffer.concat(Array.from(reportJsonParts(report), (part) => Buffer.from(part)));
}

/** Yields all files of a report in a bundle. */
export function* reportFiles(report: Report): Generator<ReportFile> {
  yield {
    path: 'report/report.json',
    description: 'The numbers in the report',
    format: 'application/json',
    parts: inBlocks(reportJsonParts(report)),
  };
  yield {
    path: 'report/citation.bib',
    description: 'BibTeX entries for the data and the program',
    format: 'application/x-bibtex',
    parts: [bibtexOf(report)],
  };
  yield {
    path: 'CITATION.cff',
    description: 'How to cite the data (Citation File Format 1.2.0)',
    format: 'application/yaml',
    parts: [citationFileOf(report)],
  };
  const blocks = makeDocument(report, printPalette);
  yield {
    path: 'report/report.html',
    description: 'The report, to read and to print',
    format: 'text/html',
    parts: inBlocks(documentHtmlParts(report, blocks)),
  };
  for (const block of blocks) {
    if (block.kind !== 'figure') continue;
    yield {
      path: `report/figures/figure-${String(block.number).padStart(2, '0')}.svg`,
      description: block.title,
      format: 'image/svg+xml',
      parts: [toSvgText(block.picture, { widthMm: figureWidthMm })],
    };
  }
}

const blockCharacters = 65_536;

/** Yields the same text in parts of a size that compresses well. */
function* inBlocks(parts: Iterable<string>): Generator<string> {
  let block = '';
  for (const part of parts) {
    block += part;
    if (block.length < blockCharacters) continue;
    yield block;
    block = '';
  }
  if (block !== '') yield block;
}

/**
 * Yields the same output as JSON.stringify(report, null, 1) with a newline. Each part contains one entry of a
 * list, because lists of thousands of runs are long.
 */
function* reportJsonParts(report: Report): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(report)) {
    yield `${before}\n ${JSON.stringify(name)}: `;
    if (Array.isArray(value) && value.length > 0) {
      for (const [index, entry] of value.entries())
        yield `${index === 0 ? '[' : ','}\n  ${indented(entry, 2)}`;
      yield '\n ]';
    } else yield indented(value, 1);
    before = ',';
  }
  yield '\n}\n';
}

function indented(value: unknown, depth: number): string {
  return JSON.stringify(value, null, 1).replaceAll('\n', `\n${' '.repeat(depth)}`);
}
