import type { ReactElement } from 'react';
import { Outlet } from 'react-router';
import { useIsPhone } from '../use-is-phone.ts';
import { BrandMark } from './brand-mark.tsx';
import { PageSlotsContext, useSlotRefs } from './page-slots.tsx';
import styles from './plain-shell.module.css';
import shellStyles from './shell.module.css';
import { ConnectionCell } from './status-cells.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

/** For a reader who has a link but no account: the page under a bar, no rail. */
export function PlainShell(): ReactElement {
  const { slots, refs } = useSlotRefs();
  const isPhone = useIsPhone();
  return (
    <PageSlotsContext value={slots}>
      <div className={`${shellStyles.app} ${shellStyles.plain}`}>
        <div className={shellStyles.main}>
          <header className={styles.bar}>
            <span className={styles.brand}>
              <BrandMark />
              mqttlab
            </span>
            <span className={styles.readOnly}>read only</span>
            <ConnectionCell />
            <div className={styles.tools} ref={refs.phoneActions} />
            <ThemeToggle />
          </header>
          <main id="content" className={shellStyles.content} tabIndex={-1}>
            <Outlet />
          </main>
          {isPhone && <section className={shellStyles.bottom} aria-label="Actions" ref={refs.bottomBar} />}
        </div>
      </div>
    </PageSlotsContext>
  );
}
