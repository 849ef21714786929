import { Tooltip } from '@mantine/core';
import type { FactorDefinition } from '@mqttlab/shared/domain/factor';
import { IconInfoCircle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import styles from './factor-help.module.css';

/** What a factor is, on hover, focus or touch. */
export function FactorHelp({ factor }: { factor: FactorDefinition }): ReactElement {
  return (
    <Tooltip label={factor.help} multiline w={260} position="right-start">
      <button type="button" className={styles.help} aria-label={`About ${factor.label}: ${factor.help}`}>
        <IconInfoCircle size={14} stroke={2} aria-hidden />
      </button>
    </Tooltip>
  );
}
