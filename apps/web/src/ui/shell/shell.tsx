import { type ComponentType, type ReactElement, useEffect, useRef, useState } from 'react';
import { Outlet, useLocation } from 'react-router';
import { useIsPhone } from '../theme.ts';
import { HelpLink } from './help-link.tsx';
import { MenuDrawer, Rail } from './navigation.tsx';
import { BrandMark, PageSlotsContext, useSlotRefs } from './page.tsx';
import styles from './shell.module.css';
import { PhoneTopBar, StorageBanner, ThemeToggle, TopBar } from './top-bar.tsx';

export type SearchDialogProps = { opened: boolean; onClose: () => void };

/** Rail, top bar and page; on phones, a top bar, the page and an action bar. */
export function Shell({ search: Search }: { search: ComponentType<SearchDialogProps> }): ReactElement {
  const { slots, refs } = useSlotRefs();
  const isPhone = useIsPhone();
  const [menuOpen, setMenuOpen] = useState(false);
  // The dialog is mounted when it is first opened. It stays mounted, so that started actions continue after
  // it is closed.
  const [isSearching, setIsSearching] = useState<boolean | null>(null);
  const content = useRef<HTMLElement>(null);
  const { pathname } = useLocation();

  useEffect(() => {
    if (pathname) content.current?.scrollTo(0, 0);
  }, [pathname]);

  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setIsSearching(true);
    };
    window.addEventListener('keydown', open);
    return () => window.removeEventListener('keydown', open);
  }, []);

  const search = () => {
    setMenuOpen(false);
    setIsSearching(true);
  };
  return (
    <PageSlotsContext value={slots}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <div className={styles.app}>
        {!isPhone && <Rail onSearch={search} />}
        <div className={styles.main}>
          {isPhone ? <PhoneTopBar refs={refs} onMenu={() => setMenuOpen(true)} /> : <TopBar refs={refs} />}
          <StorageBanner />
          <main id="content" className={styles.content} ref={content} tabIndex={-1}>
            <Outlet />
          </main>
          {isPhone && <section className={styles.bottom} aria-label="Actions" ref={refs.bottomBar} />}
        </div>
      </div>
      {isPhone && <MenuDrawer opened={menuOpen} onClose={() => setMenuOpen(false)} onSearch={search} />}
      {isSearching !== null && <Search opened={isSearching} onClose={() => setIsSearching(false)} />}
    </PageSlotsContext>
  );
}

/** Shell for share links: a top bar without navigation. */
export function PlainShell(): ReactElement {
  const { slots, refs } = useSlotRefs();
  const isPhone = useIsPhone();
  return (
    <PageSlotsContext value={slots}>
      <div className={`${styles.app} ${styles.plain}`}>
        <div className={styles.main}>
          <header className={styles.bar}>
            <span className={styles.brand}>
              <BrandMark />
              mqttlab
            </span>
            <span className={styles.readOnly}>read only</span>
            <div className={styles.tools} ref={refs.phoneActions} />
            <HelpLink />
            <ThemeToggle />
          </header>
          <main id="content" className={styles.content} tabIndex={-1}>
            <Outlet />
          </main>
          {isPhone && <section className={styles.bottom} aria-label="Actions" ref={refs.bottomBar} />}
        </div>
      </div>
    </PageSlotsContext>
  );
}
