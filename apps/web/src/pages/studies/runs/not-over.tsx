import { isFinished } from '@mqttlab/shared/domain/runs/experiment';
import type { StudyRunPart } from '@mqttlab/shared/messages/studies';
import type { ReactElement } from 'react';
import report from '../../report/report.module.css';

/** Says of a part that still runs that more is to come. */
export function NotOver({ part: { status } }: { part: StudyRunPart }): ReactElement | null {
  if (status !== null && isFinished(status)) return null;
  return (
    <p className={report.note}>This part is not over: everything below is from the runs that ended so far.</p>
  );
}
