import { ProblemError } from '../../errors.ts';
import type { ShareSubject } from '../../store/settings/share-store.ts';
import { selectedExperiments } from '../select-runs.ts';
import { parseView } from './share-content.ts';
import type { SharedStudyStores } from './share-study-run.ts';

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
    remedy: 'Ask whoever shared it to restore it.',
  });
}
