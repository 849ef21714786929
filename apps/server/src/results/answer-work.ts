import { makeReport } from '@mqttlab/shared/analysis/report/make-report';
import type { Report } from '@mqttlab/shared/domain/report/report';
import type { PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import type { CompareQuery } from '@mqttlab/shared/messages/http';
import type { SharedContent } from '@mqttlab/shared/messages/shares';
import { judgeReport } from '@mqttlab/studies/claims/judge-report';
import { EncodedJson, stringifyInSlices } from '../base/encoded-json.ts';
import { notFound } from '../base/errors.ts';
import type { AnswerStore } from '../store/experiments/answer-store.ts';
import type { StudyStore } from '../store/experiments/study-store.ts';
import type { ShareStore, ShareSubject } from '../store/settings/share-store.ts';
import { pageOf } from '../store/table.ts';
import { type AnalysisStores, makeComparison } from './compare.ts';
import { resultsOfRuns } from './finish-run.ts';
import { collectReport, makeReportFile, type ReportQuestion, readCompactRuns } from './report.ts';
import { averageWindow, compareSeries } from './series.ts';
import {
  describeShare,
  findDeleted,
  forVisitors,
  makeShareContent,
  stateOfShare,
  withoutParts,
} from './share-content.ts';
import { judgeStudyRun, readStudyResults, type StudyResultStores, viewStudyRun } from './studies.ts';

/** Stores from which answers are computed. */
export interface AnswerStores extends AnalysisStores {
  studies: Pick<StudyStore, 'findStudyRun'>;
  shares: Pick<ShareStore, 'findShare' | 'findFrozenContent'>;
}

/** Dependencies of reports. */
interface ReportTools {
  stores: AnalysisStores;
  stored: Pick<AnswerStore, 'findAnswer'>;
  /** Name and version of the software in reports. */
  software: string;
  /** Called after each part of a long answer. */
  onProgress: (done: number, all: number) => void;
}

/** Dependencies of answers. */
interface AnswerTools extends ReportTools {
  stores: AnswerStores;
}

/** Computes each kind of answer from its parameters. */
const answerWork = {
  comparison: ({ stores }: AnswerTools, query: CompareQuery) => makeComparison(stores, query),
  report: reportOf,
  /** The claims of a study, evaluated with one of its runs. */
  studyBoard: async (tools: AnswerTools, { studyRunId, flagged }: BoardInput) => {
    const stores = withReports(tools);
    const record = stores.studies.findStudyRun(studyRunId);
    if (!record) throw notFound('study run', studyRunId);
    const run = viewStudyRun(stores, record);
    return judgeStudyRun(stores, run, { results: await readStudyResults(stores, run, flagged), flagged });
  },
  /** Content of a share link that is not frozen. */
  shareContent: (tools: AnswerTools, { subject }: ShareInput) => contentOf(tools, subject),
  sharePreview: async (tools: AnswerTools, { subject, details, packets }: ShareInput & PreviewInput) =>
    describeShare(await contentOf(tools, subject), { details, packets }),
  /** Content of a link that its visitors can open. */
  shared: async (
    tools: AnswerTools,
    { subject, token }: ShareInput & SharedInput,
  ): Promise<SharedContent> => {
    const { stores } = tools;
    const found = stores.shares.findShare(token);
    if (!found) throw notFound('share link', token);
    const deleted = findDeleted(stores, subject);
    const { content, frozenAt } = stores.shares.findFrozenContent(token) ?? {
      content: await contentOf(tools, subject),
      frozenAt: null,
    };
    return {
      // Visitors see neither the link's creator nor its other visitors.
      share: { ...found.share, madeBy: null, openings: 0 },
      live: frozenAt === null && stateOfShare(stores, subject).live,
      frozenAt,
      content: forVisitors(found.share, withoutParts(content, deleted)),
    };
  },
  reportFile: async (tools: AnswerTools, { question, format }: ReportFileInput) => {
    return makeReportFile(await storedReport(tools, question), format);
  },
  series: ({ stores }: AnswerTools, { query, question }: SeriesInput) => ({
    items: compareSeries(stores, query, question),
  }),
  window: ({ stores }: AnswerTools, { query, question }: WindowInput) => ({
    items: averageWindow(stores, query, question),
  }),
  run: ({ stores }: AnswerTools, id: number) => {
    const detail = stores.runs.findRunDetail(id);
    if (!detail) throw notFound('run', id);
    return detail;
  },
  runPage: ({ stores }: AnswerTools, { id, before, limit }: PageInput) =>
    pageOf(stores.runs.listNewestRuns(id, { before, limit: limit + 1 }), limit),
  experiment: ({ stores }: AnswerTools, id: number) => {
    const detail = stores.experiments.findExperimentDetail(id);
    if (!detail) throw notFound('experiment', id);
    return detail;
  },
  rows: ({ stores }: AnswerTools, { id, ...page }: RowsInput) =>
    stores.experiments.listExperimentRows(id, page),
  trials: ({ stores }: AnswerTools, { id, ...page }: RowsInput) => stores.experiments.listTrials(id, page),
  /** Results for every metric, without the underlying values. */
  results: async ({ stores }: AnswerTools, id: number) => {
    const plan = stores.experiments.findExperiment(id)?.plan;
    if (!plan) return [];
    const runs = await readCompactRuns(stores.runs.eachRun(id));
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

interface BoardInput {
  studyRunId: number;
  flagged: boolean;
}

interface ShareInput {
  subject: ShareSubject;
  /**
   * Time of the request. Answers at different times differ, because the time left of a running experiment
   * changes continuously.
   */
  at?: number;
}

interface PreviewInput {
  details: boolean;
  packets: PacketChoice;
}

interface SharedInput {
  token: string;
  frozenAt: number | null;
}

interface ReportFileInput {
  question: ReportQuestion;
  format: 'json' | 'html';
}

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

/** Returns true for answers that take seconds for large experiments. */
export function isLong({ kind, input }: { kind: AnswerKind; input: unknown }): boolean {
  if (kind === 'report' || kind === 'reportFile') return true;
  const isShare = kind === 'shareContent' || kind === 'sharePreview' || kind === 'shared';
  // The page of a study includes reports.
  return isShare && (input as ShareInput).subject.kind === 'study';
}

/** Kinds of answers that are stored once their experiments are finished. */
export const storedKinds: ReadonlySet<AnswerKind> = new Set(['report', 'comparison', 'results']);

export type AnswerKind = keyof typeof answerWork;
export type AnswerInput<Kind extends AnswerKind> = Parameters<(typeof answerWork)[Kind]>[1];
export type AnswerOf<Kind extends AnswerKind> = Awaited<ReturnType<(typeof answerWork)[Kind]>>;

const contentOf = (tools: AnswerTools, subject: ShareSubject): Promise<SharedContent['content']> =>
  makeShareContent(withReports(tools), subject);

function withReports(tools: AnswerTools): AnswerStores & StudyResultStores {
  return { ...tools.stores, reportOf: (question) => storedReport(tools, question) };
}

async function reportOf(
  { stores, software, onProgress }: ReportTools,
  question: ReportQuestion,
): Promise<Report> {
  const input = await collectReport(stores, { ...question, software });
  const report = makeReport(input, onProgress);
  report.claims = judgeReport(input, report);
  return report;
}

/** Resolves with the stored report, or with a new report if there is none or it is damaged. */
export async function storedReport(tools: ReportTools, question: ReportQuestion): Promise<Report> {
  const { revision } = tools.stores.experiments.findRevision([question.experimentId]);
  const packed = tools.stored.findAnswer({ key: keyOf('report', question), revision });
  const json = packed && (await EncodedJson.unpack(packed).catch(() => null));
  return json ? json.parse<Report>() : reportOf(tools, question);
}

/** Returns the cache key of a question. */
export const keyOf = (kind: AnswerKind, input: unknown): string => `${kind} ${JSON.stringify(input)}`;

/** Resolves with the bytes of an answer: JSON, or a file. Rejects with a problem. */
export async function computeAnswer(
  tools: AnswerTools,
  { kind, input }: { kind: AnswerKind; input: unknown },
): Promise<Uint8Array> {
  const work = answerWork[kind] as (tools: AnswerTools, input: unknown) => unknown;
  const made = await work(tools, input);
  return made instanceof Uint8Array ? made : Buffer.from(await stringifyInSlices(made));
}
