import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { clientMatrixTag, readClientMatrix } from '@mqttlab/shared/catalogue/client-matrix';
import type { TestbedCapabilities } from '@mqttlab/shared/domain/devices/capabilities';
import { makeTestbedView, type TestbedView } from '@mqttlab/shared/domain/devices/testbed-view';
import type { Issue } from '@mqttlab/shared/domain/issue';
import type { StudyFile } from '@mqttlab/shared/domain/plans/study-file';
import type { ClaimBoard } from '@mqttlab/shared/domain/report/claims';
import type { Report, StudyFacts } from '@mqttlab/shared/domain/report/report';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import { isFinished } from '@mqttlab/shared/domain/runs/statuses';
import type {
  StudyList,
  StudyPartView,
  StudyRun,
  StudyRunPart,
  StudyView,
} from '@mqttlab/shared/messages/studies';
import { estimate } from '@mqttlab/shared/planning/estimate';
import { type LeftOut, leftOutOf } from '@mqttlab/shared/planning/left-out';
import { makeOwnStudy } from '@mqttlab/shared/planning/own-study';
import { parsePlan } from '@mqttlab/shared/planning/parse-plan';
import {
  makeStudyDraft,
  type Study,
  type StudyPart,
  type StudyScale,
  studyScales,
} from '@mqttlab/shared/planning/study';
import { makeBoard, type PartState } from '@mqttlab/studies/claims/board';
import { needsReport } from '@mqttlab/studies/page/make-study-document';
import { studyFactsOf } from '@mqttlab/studies/page/reasons';
import { findStudy, studies } from '@mqttlab/studies/studies';
import type { StudyRunRecord } from '../store/experiments/study-store.ts';
import { type AnalysisStores, makeComparison } from './compare.ts';
import type { ReportQuestion } from './report.ts';

interface Where {
  capabilities: TestbedCapabilities;
  view: TestbedView;
  /** Median overhead of earlier runs on this testbed, ms; null before the first run. */
  overheadMs: number | null;
}

interface OwnStudies {
  overheadMs: number | null;
  own: readonly StudyFile[];
  /** Stored studies that are unreadable. */
  broken: readonly { id: string; reason: string }[];
  /** The last board of claims for each study on the testbed. */
  boards: ReadonlyMap<string, StudyView['board']>;
}

/**
 * Returns the published studies, then the user's own studies, with the cost of each and the parts that the
 * testbed cannot run.
 */
export async function listStudies(
  capabilities: TestbedCapabilities,
  { overheadMs, own, broken, boards }: OwnStudies,
): Promise<StudyList> {
  const where = { capabilities, view: makeTestbedView(capabilities), overheadMs };
  const listed = [
    ...studies.map((study) => ({ study, file: null })),
    ...own.map((file) => ({ study: makeOwnStudy(file), file })),
  ];
  const items: StudyList['items'] = [];
  for (const { study, file } of listed) {
    const { id, title, question, citation, publishedTestbed } = study;
    const parts: StudyPartView[] = [];
    for (const part of study.parts) parts.push(await viewOf(study, part, where));
    items.push({
      id,
      title,
      question,
      citation,
      publishedTestbed,
      own: file,
      parts,
      board: boards.get(id) ?? null,
    });
  }
  return { testbedId: capabilities.testbedId, items: [...items, ...broken.map(brokenView)] };
}

/** Returns the gallery's entry for an unreadable study, so that it can be exported and deleted. */
function brokenView({ id, reason }: OwnStudies['broken'][number]) {
  return {
    id,
    title: id,
    question: '',
    citation: '',
    publishedTestbed: '',
    own: null,
    parts: [],
    board: null,
    broken: reason,
  };
}

async function viewOf(study: Study, part: StudyPart, where: Where): Promise<StudyPartView> {
  const { id, title, question } = part;
  const planned: { scale: StudyScale; parsed: ReturnType<typeof parsePlan> | null }[] = [];
  for (const scale of studyScales) {
    const draft = makeStudyDraft({ study, part, scale }, where.view);
    planned.push({ scale, parsed: draft && parsePlan(draft, where.capabilities) });
    // Creating a plan takes tens of milliseconds.
    await yieldToEventLoop();
  }
  const left = [
    ...studyScales.flatMap((scale) => leftOutOf({ study, part, scale }, where.view)),
    ...planned.flatMap(({ parsed }) => (parsed && !parsed.ok ? parsed.issues.map(asLeftOut) : [])),
  ];
  return {
    id,
    title,
    question,
    scales: planned.flatMap(({ scale, parsed }) => {
      if (!parsed?.ok) return [];
      const { runs, durationMs } = estimate(parsed.plan, where.overheadMs);
      return [{ scale, note: part.notes[scale], runs, durationMs }];
    }),
    // Scales use different levels, so each omitted level is only listed once.
    leftOut: [...new Map(left.map((one) => [one.what, one])).values()],
  };
}

/** Describes why a part cannot become a plan on this testbed. */
function asLeftOut({ field, reason, remedy }: Issue): LeftOut {
  return { what: field, reason, remedy };
}

/** Returns the current progress of every part. */
export function viewStudyRun(
  { experiments }: Pick<AnalysisStores, 'experiments'>,
  record: StudyRunRecord,
): StudyRun {
  const views = record.parts.map((part) => {
    const summary = part.experimentId === null ? null : experiments.findExperimentSummary(part.experimentId);
    return {
      ...part,
      status: summary?.status ?? null,
      progress: summary?.progress ?? null,
      timeLeftMs: summary?.timeLeftMs ?? null,
    };
  });
  const known = views.flatMap(({ status }) => status ?? []);
  const isRunning = known.some((status) => !isFinished(status) && status !== 'draft');
  const wasEnded = known.some((status) => status === 'cancelled' || status === 'stopped');
  return { ...record, status: isRunning ? 'running' : wasEnded ? 'cancelled' : 'done', parts: views };
}

export interface StudyResultStores extends AnalysisStores {
  reportOf: (question: ReportQuestion) => Promise<Report>;
}

/** Measurements from one part of a study run. */
interface PartResult {
  partId: string;
  comparison: Comparison;
  facts: StudyFacts;
  /** Report on the part; null if the part has no figures or has not finished. */
  report: Report | null;
}

/** Returns the results of every part whose experiment exists. */
export async function readStudyResults(
  stores: StudyResultStores,
  run: StudyRun,
  flagged: boolean,
): Promise<PartResult[]> {
  const results: PartResult[] = [];
  for (const part of run.parts) {
    const result = await readPart(stores, { studyId: run.studyId, part, flagged });
    if (result) results.push(result);
  }
  return results;
}

interface Asked {
  studyId: string;
  part: StudyRunPart;
  flagged: boolean;
}

async function readPart(
  stores: StudyResultStores,
  { studyId, part: { id, experimentId, status }, flagged }: Asked,
): Promise<PartResult | null> {
  const experiment = experimentId === null ? null : stores.experiments.findExperimentDetail(experimentId);
  if (experimentId === null || !experiment || experiment.deletedAt !== null) return null;
  const comparison = await makeComparison(stores, { experiments: String(experimentId) });
  const first = experiment.runs.find((one) => one.status === 'done');
  const isDrawn = first !== undefined && needsReport({ studyId, partId: id });
  // Requests for a running part are repeated, so they must not start expensive work.
  const isReady = status !== null && isFinished(status);
  return {
    partId: id,
    comparison,
    facts: studyFactsOf(first && (stores.runs.findRunDetail(first.id) ?? undefined)),
    report: isDrawn && isReady ? await stores.reportOf({ experimentId, takesFlagged: flagged }) : null,
  };
}

/**
 * Returns the claims of a study run's study, evaluated with these results; none for a study that was saved on
 * this server.
 */
export async function judgeStudyRun(
  stores: StudyResultStores,
  run: StudyRun,
  { results, flagged }: { results: readonly PartResult[]; flagged: boolean },
): Promise<ClaimBoard> {
  const study = run.own === null ? findStudy(run.studyId) : undefined;
  if (!study) return { claims: [], missing: [] };
  const clients = await readClients(stores, run.testbedId);
  return makeBoard(study, (partId): PartState => {
    const found = results.find((result) => result.partId === partId);
    if (!found) return { missing: whyNotRun(run.parts.find(({ id }) => id === partId)) };
    const { treatments } = found.comparison;
    if (treatments.every(({ runs: own }) => own.length === 0))
      return { missing: 'no run of its part has finished' };
    return { treatments, flagged, report: found.report, clients };
  });
}

function whyNotRun(part: StudyRunPart | undefined): string {
  if (part && part.experimentId !== null) return 'the experiment of its part was deleted';
  const [left] = part?.leftOut ?? [];
  return left === undefined ? 'its part was not run' : `its part was not run: ${left.reason}`;
}

/** Returns the latest client matrix of a testbed. */
async function readClients({ experiments, runs }: StudyResultStores, testbedId: string) {
  const { items } = experiments.listExperiments({
    tag: clientMatrixTag,
    status: 'all',
    offset: 0,
    limit: 20,
  });
  const last = items.find((one) => one.testbedId === testbedId && one.progress.done > 0);
  const plan = last && experiments.findExperiment(last.id)?.plan;
  if (!last || !plan) return null;
  return readClientMatrix({ plan, status: last.status, runs: await runs.listAllRuns(last.id) });
}
