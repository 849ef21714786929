import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconArrowBackUp } from '@tabler/icons-react';
import styles from './undo-toast.module.css';

type UndoToast = {
  /** The completed action: "E-117 archived". */
  message: string;
  onUndo: () => void;
  /** Display time. Default: 8 s. */
  timeoutMs?: number;
};

/** Confirms an action with an undo button, instead of asking beforehand. */
export function showUndoToast({ message, onUndo, timeoutMs = 8000 }: UndoToast): void {
  const id = notifications.show({
    autoClose: timeoutMs,
    withBorder: true,
    classNames: { root: styles.root ?? '', body: styles.body ?? '' },
    message: (
      <span className={styles.line}>
        <span>{message}</span>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconArrowBackUp size={14} stroke={2.2} aria-hidden />}
          onClick={() => {
            notifications.hide(id);
            onUndo();
          }}
        >
          Undo
        </Button>
      </span>
    ),
  });
}
