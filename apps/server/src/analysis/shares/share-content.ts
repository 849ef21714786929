import { setImmediate as breathe } from 'node:timers/promises';
import { answerPictureOf } from '@mqttlab/shared/catalogue/workloads';
import type { Report } from '@mqttlab/shared/domain/report/report';
import type { Comparison } from '@mqttlab/shared/domain/runs/comparison';
import type { ExperimentDetail } from '@mqttlab/shared/domain/runs/experiment';
import { isFinished, isSettled } from '@mqttlab/shared/domain/runs/statuses';
import { needsReport } from '@mqttlab/shared/figures/studies/make-study-document';
import { studyFactsOf } from '@mqttlab/shared/figures/studies/study-facts';
import { rowsPerPage } from '@mqttlab/shared/messages/api/endpoint';
import { compareQuerySchema, compareSeriesQuerySchema } from '@mqttlab/shared/messages/http';
import type { SharedContent } from '@mqttlab/shared/messages/shares';
import type { StudyRun, StudyRunPart } from '@mqttlab/shared/messages/studies';
import * as z from 'zod';
import { notFound, ProblemError } from '../../base/errors.ts';
import { activeStatuses } from '../../store/experiments/experiment-list.ts';
import type { StudyStore } from '../../store/experiments/study-store.ts';
import type { ShareStore, ShareSubject } from '../../store/settings/share-store.ts';
import { StorageError } from '../../store/storage-error.ts';
import type { AnswerService } from '../answers/answer-service.ts';
import { makeComparison } from '../compare.ts';
import { type AnalysisStores, selectedExperiments } from '../select-runs.ts';
import { compareSeries } from '../series.ts';
import { viewStudyRun } from '../studies.ts';

interface ShareContent {
  title: string;
  content: SharedContent['content'];
  /** Something in it still runs or waits. */
  live: boolean;
  /** Nothing in it will change any more, so it can be frozen. */
  settled: boolean;
}

/** What a share shows now. Throws a 404 problem when its subject is not there, 410 when it was deleted. */
export async function makeShareContent(
  stores: SharedStudyStores,
  subject: ShareSubject,
): Promise<ShareContent> {
  if (subject.kind === 'study') return shareStudyRun(stores, subject);
  if (subject.kind === 'experiment') return shareExperiment(stores, subject.experimentId);
  if (subject.kind === 'run') return shareRun(stores, subject.runId);
  return shareView(stores, subject.view);
}

async function shareExperiment(stores: AnalysisStores, id: number): Promise<ShareContent> {
  const experiment = await detailWithRows(stores, id);
  if (!experiment) throw notFound('experiment', id);
  if (experiment.deletedAt !== null) throw gone(`Experiment ${id}`);
  const comparison = await makeComparison(stores, { experiments: String(id) });
  return {
    title: experiment.name,
    content: { kind: 'experiment', experiment, comparison, ...answerOverTime(stores, comparison) },
    ...stateOf([experiment.status]),
  };
}

/** An experiment with the rows of all its runs; null if there is none. */
async function detailWithRows({ experiments }: AnalysisStores, id: number): Promise<ExperimentDetail | null> {
  const detail = experiments.detail(id);
  if (!detail) return null;
  const { nextRuns, ...experiment } = detail;
  const runs = [...experiment.runs];
  for (let after = nextRuns; after !== undefined; ) {
    await breathe();
    const page = experiments.rows(id, { after, limit: rowsPerPage });
    runs.push(...page.items);
    after = page.next;
  }
  return { ...experiment, runs };
}

/** The usual series, only where it is the answer. */
function answerOverTime(stores: AnalysisStores, { experiments, treatments }: Comparison) {
  const picture = answerPictureOf(treatments.map(({ treatment }) => treatment.spec));
  if (picture?.layout !== 'over time') return {};
  const query = { experiments: experiments.map(({ id }) => id).join(',') };
  return { series: compareSeries(stores, query, { ...picture, flagged: false }) };
}

function shareRun(stores: AnalysisStores, id: number): ShareContent {
  const run = stores.runs.detail(id);
  if (!run) throw notFound('run', id);
  const settled = isSettled(run.status);
  const title = `Run ${run.trialNumber} of ${run.experimentName}`;
  return { title, content: { kind: 'run', run }, live: !settled, settled };
}

async function shareView(stores: AnalysisStores, view: string): Promise<ShareContent> {
  const { chosen, series, flagged } = parseView(view);
  const comparison = await makeComparison(stores, chosen);
  return {
    title: comparison.experiments.map(({ name }) => name).join(' · '),
    content: {
      kind: 'view',
      view,
      comparison,
      series: compareSeries(stores, chosen, { ...series, flagged }),
    },
    ...stateOf(comparison.experiments.map(({ status }) => status)),
  };
}

function stateOf(statuses: readonly string[]): Pick<ShareContent, 'live' | 'settled'> {
  const live = statuses.some((status) => (activeStatuses as readonly string[]).includes(status));
  return { live, settled: !live && !statuses.includes('draft') };
}

/** The part of the compare page's address that says what is compared; the rest only says how it looks. */
const viewSchema = z.object({
  ...compareQuerySchema.shape,
  role: compareSeriesQuerySchema.shape.role.default('subscriber'),
  /** Absent: the usual one. */
  series: compareSeriesQuerySchema.shape.metric,
  flagged: z.enum(['0', '1']).default('0'),
});

function parseView(view: string) {
  const params = Object.fromEntries([...new URLSearchParams(view)].filter(([, value]) => value !== ''));
  const parsed = viewSchema.safeParse(params);
  if (!parsed.success || (!parsed.data.experiments && !parsed.data.runs)) {
    throw new ProblemError({
      status: 422,
      detail: 'The view names no experiments and no runs.',
      remedy: 'Send the query string of the compare page.',
      issues: [
        {
          field: 'view',
          reason: parsed.success ? 'it names no experiments and no runs' : z.prettifyError(parsed.error),
          remedy: 'Send the query string of the compare page.',
        },
      ],
    });
  }
  const { role, series: metric, flagged, ...chosen } = parsed.data;
  return { chosen, series: metric ? { role, metric } : null, flagged: flagged === '1' };
}

function gone(what: string): ProblemError {
  return new ProblemError({
    status: 410,
    detail: `${what} was deleted.`,
    remedy: 'Ask the person who shared it to restore it.',
  });
}

interface SharedStudyStores extends AnalysisStores {
  studies: Pick<StudyStore, 'findRun'>;
  answers: Pick<AnswerService, 'get'>;
}

type Content = Extract<SharedContent['content'], { kind: 'study' }>;

/** Everything that the page of a study run is drawn from. Throws a 404 problem where there is no such run. */
async function shareStudyRun(
  stores: SharedStudyStores,
  { studyRunId, flagged }: Extract<ShareSubject, { kind: 'study' }>,
) {
  const record = stores.studies.findRun(studyRunId);
  if (!record) throw notFound('study run', studyRunId);
  const run = viewStudyRun(stores, record);
  const results: Content['results'] = [];
  for (const part of run.parts) {
    const result = await resultOf(stores, { run, part, flagged });
    if (result) results.push(result);
  }
  const content: Content = { kind: 'study', run, flagged, results };
  const live = run.status === 'running';
  return { title: `${run.title}, ${run.scale} (study run ${run.id})`, content, live, settled: !live };
}

interface Asked {
  run: StudyRun;
  part: StudyRunPart;
  flagged: boolean;
}

async function resultOf(
  stores: SharedStudyStores,
  { run: { studyId }, part: { id, experimentId, status }, flagged }: Asked,
): Promise<Content['results'][number] | null> {
  const experiment = experimentId === null ? null : stores.experiments.detail(experimentId);
  if (experimentId === null || !experiment || experiment.deletedAt !== null) return null;
  const comparison = await makeComparison(stores, { experiments: String(experimentId) });
  const first = experiment.runs.find((one) => one.status === 'done');
  const isDrawn = first !== undefined && needsReport({ studyId, partId: id });
  // Visitors of a link that is live come again and again: none of them sets such work going.
  const isReady = status !== null && isFinished(status);
  return {
    partId: id,
    comparison,
    facts: studyFactsOf(first && (stores.runs.detail(first.id) ?? undefined)),
    report:
      isDrawn && isReady
        ? (
            await stores.answers.get(
              'report',
              { experimentId, takesFlagged: flagged },
              { experimentIds: [experimentId], signal: new AbortController().signal },
            )
          ).parse<Report>()
        : null,
  };
}

/** The experiments that a link shows; those of a study run one after the other. */
function experimentsOfShare(stores: SharedStudyStores, subject: ShareSubject): number[] {
  if (subject.kind === 'experiment') return [subject.experimentId];
  if (subject.kind === 'run') return [stores.runs.find(subject.runId)?.experimentId ?? 0];
  if (subject.kind === 'view') return selectedExperiments(stores, parseView(subject.view).chosen);
  const parts = stores.studies.findRun(subject.studyRunId)?.parts ?? [];
  return parts.flatMap(({ experimentId }) => (experimentId === null ? [] : [experimentId]));
}

/**
 * The experiments of a link that were deleted. Throws a 410 problem where the link ends with them: it shows nothing
 * else, or it compares them with others. A study run goes on with its other parts.
 */
export function findDeleted(stores: SharedStudyStores, subject: ShareSubject): ReadonlySet<number> {
  const all = experimentsOfShare(stores, subject);
  const deleted = new Set(all.filter((id) => (stores.experiments.find(id)?.deletedAt ?? null) !== null));
  const ends = subject.kind === 'study' ? deleted.size === all.length : deleted.size > 0;
  if (all.length === 0 || !ends) return deleted;
  const [first] = deleted;
  throw new ProblemError({
    status: 410,
    detail: `Experiment ${first} was deleted, and its links ended with it.`,
    remedy: 'Ask the person who shared it to restore it.',
  });
}

/**
 * Freezes every link whose content has settled, so that what is retried or renamed later does not change it. A link
 * whose content cannot be made, because its subject was deleted or is damaged, stays as it is.
 */
export async function freezeSettledShares(
  stores: SharedStudyStores & { shares: ShareStore },
  onDamaged: (error: unknown) => void,
): Promise<void> {
  for (const { token, subject } of stores.shares.listUnfrozen()) {
    try {
      const { content, settled } = await makeShareContent(stores, subject);
      if (settled) stores.shares.freeze(token, content);
    } catch (error) {
      // A database that fails concerns every link; anything else concerns this one.
      if (error instanceof StorageError && error.code !== 'corrupt') throw error;
      if (!(error instanceof ProblemError)) onDamaged(error);
    }
  }
}
