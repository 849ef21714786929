import { type ReactElement, useEffect, useRef, useState } from 'react';
import { Outlet, useLocation } from 'react-router';
import { useIsPhone } from '../use-is-phone.ts';
import { MenuDrawer } from './menu-drawer.tsx';
import { PageSlotsContext, useSlotRefs } from './page-slots.tsx';
import { Rail } from './rail.tsx';
import styles from './shell.module.css';
import { PhoneTopBar, TopBar } from './top-bar.tsx';

/** Rail, top bar and the page; on phones a top bar, the page and an action bar. */
export function Shell(): ReactElement {
  const { slots, refs } = useSlotRefs();
  const isPhone = useIsPhone();
  const [menuOpen, setMenuOpen] = useState(false);
  const content = useRef<HTMLElement>(null);
  const { pathname } = useLocation();

  useEffect(() => {
    if (pathname) content.current?.scrollTo(0, 0);
  }, [pathname]);

  return (
    <PageSlotsContext value={slots}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <div className={styles.app}>
        {!isPhone && <Rail />}
        <div className={styles.main}>
          {isPhone ? <PhoneTopBar refs={refs} onMenu={() => setMenuOpen(true)} /> : <TopBar refs={refs} />}
          <main id="content" className={styles.content} ref={content} tabIndex={-1}>
            <Outlet />
          </main>
          {isPhone && <section className={styles.bottom} aria-label="Actions" ref={refs.bottomBar} />}
        </div>
      </div>
      {isPhone && <MenuDrawer opened={menuOpen} onClose={() => setMenuOpen(false)} />}
    </PageSlotsContext>
  );
}
