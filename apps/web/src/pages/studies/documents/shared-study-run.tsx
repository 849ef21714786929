import type { SharedContent } from '@mqttlab/shared/messages/shares';
import { type ReactElement, useMemo } from 'react';
import report from '../../report/report.module.css';
import { type DrawnInput, PartDocument, StudyClosing } from './part-document.tsx';
import { RunDocument, studyOf } from './run-document.tsx';
import { StudyBoard } from './study-board.tsx';

type SharedStudyRunProps = { content: Extract<SharedContent['content'], { kind: 'study' }> };

/** The page of a study run, rendered from the content of a share link. */
export function SharedStudyRun({
  content: { run, flagged, results, board },
}: SharedStudyRunProps): ReactElement {
  const study = useMemo(() => studyOf(run), [run]);
  const inputs = useMemo(
    () =>
      results.flatMap(({ partId, comparison: { treatments }, facts, report: made }): DrawnInput[] => {
        const origin = { studyId: run.studyId, partId, scale: run.scale };
        return study ? [{ study, origin, treatments, flagged, facts, report: made }] : [];
      }),
    [study, run, results, flagged],
  );
  return (
    <RunDocument
      run={run}
      readOnly
      board={<StudyBoard board={board} />}
      closing={<StudyClosing inputs={inputs} />}
      results={(part) => {
        const input = inputs.find(({ origin }) => origin.partId === part.id);
        const flaggedRuns = results.find(({ partId }) => partId === part.id)?.comparison.flaggedRuns ?? 0;
        if (!input) return <p className={report.note}>The experiment for this part was deleted.</p>;
        return (
          <>
            {flagged && flaggedRuns > 0 && (
              <p className={report.note}>
                Flagged runs are included, as chosen by the person who shared this: {flaggedRuns} of part{' '}
                {part.id}.
              </p>
            )}
            <PartDocument input={input} />
          </>
        );
      }}
    />
  );
}
