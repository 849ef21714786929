import { type Altered, alteredWords } from '@mqttlab/shared/domain/runs/run';
import type { ReactElement } from 'react';
import { Panel } from './panel.tsx';
import { StatusLine } from './status.tsx';

/** Warning above data from an altered import; hidden for other data. */
export function AlteredNotice({ altered }: { altered: Altered | undefined }): ReactElement | null {
  if (!altered) return null;
  return (
    <Panel>
      <div role="alert">
        <StatusLine kind="flagged">{alteredWords(altered)}</StatusLine>
      </div>
    </Panel>
  );
}
