import type { Study, StudyScale } from '@mqttlab/shared/catalogue/studies/study';
import type { StudyRunPart } from '@mqttlab/shared/messages/studies';
import { type ReactElement, useEffect } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import { PageSkeleton } from '../../../ui/skeletons.tsx';
import { useFlagged } from '../../report/reading-actions.tsx';
import { PartDocument } from '../result/part-document.tsx';
import { useStudyPart } from '../result/use-study-part.ts';
import { NotOver } from './not-over.tsx';

export type PartResultsProps = {
  part: StudyRunPart;
  study: Study;
  scale: StudyScale;
  /** How many of its runs a verdict flagged. */
  onFlagged: (part: string, count: number) => void;
};

/** The document of one part, from what the server has now. */
export function PartResults({ part, study, scale, onFlagged }: PartResultsProps): ReactElement {
  const { id, experimentId } = part;
  const flagged = useFlagged();
  const { input, error, flaggedRuns, retry } = useStudyPart({
    study,
    flagged,
    experimentId,
    origin: { studyId: study.id, partId: id, scale },
  });
  useEffect(() => onFlagged(id, flaggedRuns), [id, flaggedRuns, onFlagged]);
  if (error) return <ApiErrorState error={error} onRetry={retry} />;
  if (!input) return <PageSkeleton />;
  return (
    <>
      <NotOver part={part} />
      <PartDocument input={input} numberPrefix={`${id}.`} />
    </>
  );
}
