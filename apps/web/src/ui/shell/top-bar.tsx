import { ActionIcon } from '@mantine/core';
import { IconMenu2 } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { SlotRefs } from './page-slots.tsx';
import { ConnectionCell, RunningCell, TestbedCell } from './status-cells.tsx';
import { ThemeToggle } from './theme-toggle.tsx';
import styles from './top-bar.module.css';

type TopBarProps = { refs: SlotRefs };

export function TopBar({ refs }: TopBarProps): ReactElement {
  return (
    <header className={styles.bar}>
      <div className={styles.crumbs} ref={refs.crumbs} />
      <div className={styles.cells}>
        <RunningCell />
        <TestbedCell />
        <ConnectionCell />
        <div className={styles.last}>
          <ThemeToggle />
        </div>
      </div>
    </header>
  );
}

type PhoneTopBarProps = TopBarProps & { onMenu?: () => void };

export function PhoneTopBar({ refs, onMenu }: PhoneTopBarProps): ReactElement {
  return (
    <header className={`${styles.bar} ${styles.phone}`}>
      <div className={styles.crumbs} ref={refs.phoneTitle} />
      <ConnectionCell />
      <div className={styles.tools} ref={refs.phoneActions} />
      {onMenu && (
        <ActionIcon size="lg" aria-label="Menu" onClick={onMenu}>
          <IconMenu2 size={18} stroke={2} aria-hidden />
        </ActionIcon>
      )}
    </header>
  );
}
