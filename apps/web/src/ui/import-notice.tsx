import { type ImportMarks, noticesOf } from '@mqttlab/shared/domain/runs/import-marks';
import type { ReactElement } from 'react';
import { Panel } from './panel.tsx';
import { StatusLine } from './status.tsx';

/** Warning above results that are altered or foreign; hidden for other results. */
export function ImportNotice({ marks }: { marks: ImportMarks | null | undefined }): ReactElement | null {
  const notices = noticesOf(marks);
  if (notices.length === 0) return null;
  return (
    <Panel>
      <div role="alert">
        {notices.map(({ name, sentence }) => (
          <StatusLine key={name} kind="flagged">
            {sentence}
          </StatusLine>
        ))}
      </div>
    </Panel>
  );
}
