import type { CompareQuery } from '@mqttlab/shared/messages/http';
import { notFound } from '../../base/errors.ts';
import { stringifyInSlices } from '../../base/json-slices.ts';
import { pageOf } from '../../base/page-of.ts';
import { makeComparison } from '../compare.ts';
import { resultsOfRuns } from '../finish-run.ts';
import type { AnalysisStores } from '../select-runs.ts';
import { averageWindow, compareSeries } from '../series.ts';

/** Everything that answers to requests are computed from by a thread: what each kind of answer takes, and returns. */
const answerWork = {
  comparison: (stores: AnalysisStores, query: CompareQuery) => makeComparison(stores, query),
  series: (stores: AnalysisStores, { query, question }: SeriesInput) => ({
    items: compareSeries(stores, query, question),
  }),
  window: (stores: AnalysisStores, { query, question }: WindowInput) => ({
    items: averageWindow(stores, query, question),
  }),
  run: (stores: AnalysisStores, id: number) => {
    const detail = stores.runs.detail(id);
    if (!detail) throw notFound('run', id);
    return detail;
  },
  runPage: (stores: AnalysisStores, { id, before, limit }: PageInput) =>
    pageOf(stores.runs.newestOf(id, { before, limit: limit + 1 }), limit),
  experiment: (stores: AnalysisStores, id: number) => {
    const detail = stores.experiments.detail(id);
    if (!detail) throw notFound('experiment', id);
    return detail;
  },
  rows: (stores: AnalysisStores, { id, ...page }: RowsInput) => stores.experiments.rows(id, page),
  /** Of every metric, without the figures that they rest on. */
  results: async (stores: AnalysisStores, id: number) => {
    const plan = stores.experiments.find(id)?.plan;
    if (!plan) return [];
    const runs = await stores.runs.allOf(id);
    return resultsOfRuns(id, plan, runs).map(({ metric, contrasts, findings }) => ({
      metric: { id: metric.id, unit: metric.unit },
      findings: findings.map(({ kind, text }) => ({ kind, text })),
      contrasts: contrasts.map(({ treatment, baseline, ...contrast }) => ({
        ...contrast,
        treatment: treatment.treatment.label,
        baseline: baseline.treatment.label,
      })),
    }));
  },
} as const;

interface SeriesInput {
  query: CompareQuery;
  question: Parameters<typeof compareSeries>[2];
}

interface WindowInput {
  query: CompareQuery;
  question: Parameters<typeof averageWindow>[2];
}

interface PageInput {
  id: number;
  before: number | null;
  limit: number;
}

interface RowsInput {
  id: number;
  after: number;
  limit: number;
}

export type AnswerKind = keyof typeof answerWork;
export type AnswerInput<Kind extends AnswerKind> = Parameters<(typeof answerWork)[Kind]>[1];
export type AnswerOf<Kind extends AnswerKind> = Awaited<ReturnType<(typeof answerWork)[Kind]>>;

/** The JSON of an answer. Rejects with a problem. */
export async function computeAnswer(
  stores: AnalysisStores,
  { kind, input }: { kind: AnswerKind; input: unknown },
): Promise<Uint8Array> {
  const work = answerWork[kind] as (stores: AnalysisStores, input: unknown) => unknown;
  return Buffer.from(await stringifyInSlices(await work(stores, input)));
}
