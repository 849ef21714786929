import { Tooltip } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import styles from './caution.module.css';

/** Icon and word for what belongs into a laboratory only. */
export function CautionMark(): ReactElement {
  return (
    <span className={styles.caution}>
      <IconAlertTriangle size={12} stroke={2.2} aria-hidden />
      insecure
    </span>
  );
}

/** The same with its reason on hover, focus and touch. */
export function Caution({ reason }: { reason: string }): ReactElement {
  return (
    <Tooltip label={reason} multiline w={280}>
      <button type="button" className={styles.button} aria-label={`Insecure: ${reason}`}>
        <CautionMark />
      </button>
    </Tooltip>
  );
}
