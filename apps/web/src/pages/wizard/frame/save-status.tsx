import { Button } from '@mantine/core';
import { IconAlertCircle, IconAlertTriangle, IconCircleCheck, IconLoader2 } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { formatClock } from '../../../ui/format/time.ts';
import type { SaveState } from '../draft/draft-store.ts';
import { useWizard } from '../wizard-context.tsx';
import styles from './save-status.module.css';

/** Always on screen: whether the server has what was written here. */
export function SaveStatus(): ReactElement {
  const { save, store } = useWizard();
  return (
    <div className={styles.status} data-kind={save.kind} role="status">
      <SaveWords save={save} />
      {save.kind === 'failed' && (
        <Button variant="default" size="xs" onClick={() => void store.flush()}>
          Save now
        </Button>
      )}
    </div>
  );
}

const icon = { size: 14, stroke: 2, 'aria-hidden': true } as const;

function SaveWords({ save }: { save: SaveState }): ReactElement {
  if (save.kind === 'saved') {
    return (
      <span>
        <IconCircleCheck {...icon} />
        Saved {formatClock(save.atMs)}
      </span>
    );
  }
  if (save.kind === 'conflict') {
    return (
      <span>
        <IconAlertTriangle {...icon} />
        Changed elsewhere, not saved
      </span>
    );
  }
  if (save.kind === 'failed') {
    return (
      <span>
        <IconAlertCircle {...icon} />
        Not saved. {save.problem.detail} What you wrote is kept in this browser
        {save.retryAtMs === null ? '.' : ' and sent as soon as it can be.'}
      </span>
    );
  }
  return (
    <span>
      <IconLoader2 {...icon} />
      Saving
    </span>
  );
}
