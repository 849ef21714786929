import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { formatClock } from '../../../ui/format/time.ts';
import { showUndoToast } from '../../../ui/undo-toast.tsx';
import { changedFields } from '../draft/changed-fields.ts';
import { useWizard } from '../wizard-context.tsx';
import styles from './conflict-notice.module.css';

/** Two versions of one draft: both are kept until one is chosen. */
export function ConflictNotice(): ReactElement | null {
  const { save, draft, store } = useWizard();
  if (save.kind !== 'conflict') return null;
  const { theirs } = save;
  const takeTheirs = () => {
    store.resolve('theirs');
    showUndoToast({ message: 'Took the other version', onUndo: () => store.edit(draft) });
  };
  return (
    <div className={styles.notice} role="alert">
      <IconAlertTriangle size={18} stroke={1.75} aria-hidden />
      <div>
        <p className={styles.head}>
          This draft was changed in another tab or by somebody else at {formatClock(theirs.updatedAt)}.
        </p>
        <p>
          Nothing is lost: both versions are kept until you choose. They differ in{' '}
          {changedFields(draft, theirs.draft).join(', ')}.
        </p>
        <div className={styles.buttons}>
          <Button variant="default" size="xs" onClick={() => store.resolve('mine')}>
            Keep what is on this page
          </Button>
          <Button variant="default" size="xs" onClick={takeTheirs}>
            Take the other version
          </Button>
        </div>
      </div>
    </div>
  );
}
