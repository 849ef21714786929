import type { SharedContent } from '@mqttlab/shared/messages/shares';
import type { ReactElement } from 'react';
import report from '../../report/report.module.css';
import { AcrossParts, PartDocument } from './part-document.tsx';
import { RunDocument } from './run-document.tsx';
import { StudyBoard } from './study-board.tsx';

type SharedStudyRunProps = { content: Extract<SharedContent['content'], { kind: 'study' }> };

/** The page of a study run, drawn from what a share link carries. */
export function SharedStudyRun({
  content: { run, flagged, results, board },
}: SharedStudyRunProps): ReactElement {
  return (
    <RunDocument
      run={run}
      readOnly
      board={<StudyBoard board={board} />}
      across={
        <AcrossParts
          studyId={run.studyId}
          flagged={flagged}
          parts={results.map(({ partId, comparison }) => ({ partId, treatments: comparison.treatments }))}
        />
      }
      results={(part, study) => {
        const found = results.find(({ partId }) => partId === part.id);
        if (!found) return <p className={report.note}>Its experiment was deleted.</p>;
        const { comparison, facts, report: made } = found;
        const origin = { studyId: study.id, partId: part.id, scale: run.scale };
        const { treatments } = comparison;
        return (
          <>
            {flagged && comparison.flaggedRuns > 0 && (
              <p className={report.note}>
                Flagged runs are included, as chosen by the person who shared this: {comparison.flaggedRuns}{' '}
                of part {part.id}.
              </p>
            )}
            <PartDocument
              input={{ study, origin, treatments, flagged, facts, report: made }}
              numberPrefix={`${part.id}.`}
            />
          </>
        );
      }}
    />
  );
}
