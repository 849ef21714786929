import { isSettled } from '@mqttlab/shared/domain/runs/run';
import { compareQuerySchema, compareSeriesQuerySchema } from '@mqttlab/shared/messages/http';
import type { SharedContent } from '@mqttlab/shared/messages/shares';
import * as z from 'zod';
import { notFound, ProblemError } from '../../errors.ts';
import { activeStatuses } from '../../store/experiments/experiment-list.ts';
import type { ShareSubject } from '../../store/settings/share-store.ts';
import { makeComparison } from '../compare.ts';
import { compareSeries } from '../series.ts';
import type { AnalysisStores } from '../stores.ts';
import { type SharedStudyStores, shareStudyRun } from './share-study-run.ts';

export interface ShareContent {
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

function shareExperiment(stores: AnalysisStores, id: number): ShareContent {
  const experiment = stores.experiments.detail(id);
  if (!experiment) throw notFound('experiment', id);
  if (experiment.deletedAt !== null) throw gone(`Experiment ${id}`);
  const comparison = makeComparison(stores, { experiments: String(id) });
  return {
    title: experiment.name,
    content: { kind: 'experiment', experiment, comparison },
    ...stateOf([experiment.status]),
  };
}

function shareRun(stores: AnalysisStores, id: number): ShareContent {
  const run = stores.runs.detail(id);
  if (!run) throw notFound('run', id);
  const settled = isSettled(run.status);
  const title = `Run ${run.trialNumber} of ${run.experimentName}`;
  return { title, content: { kind: 'run', run }, live: !settled, settled };
}

function shareView(stores: AnalysisStores, view: string): ShareContent {
  const { chosen, series, flagged } = parseView(view);
  const comparison = makeComparison(stores, chosen);
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

export function parseView(view: string) {
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
    remedy: 'Ask whoever shared it to restore it.',
  });
}
