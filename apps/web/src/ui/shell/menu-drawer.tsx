import { Drawer } from '@mantine/core';
import type { ReactElement } from 'react';
import styles from './menu-drawer.module.css';
import { lowerDestinations, mainDestinations, NavLinks, SearchLink } from './nav-links.tsx';
import { RailUser } from './rail.tsx';
import { RunningCell, TestbedCell } from './status-cells.tsx';
import { ThemeToggle } from './theme-toggle.tsx';

type MenuDrawerProps = { opened: boolean; onClose: () => void; onSearch: () => void };

/** The phone's menu: the rail and the cells that do not fit in its top bar. */
export function MenuDrawer({ opened, onClose, onSearch }: MenuDrawerProps): ReactElement {
  return (
    <Drawer opened={opened} onClose={onClose} position="right" size={300} title="mqttlab" padding="md">
      <NavLinks destinations={mainDestinations} label="Main" onNavigate={onClose} />
      <SearchLink onSearch={onSearch} />
      <NavLinks destinations={lowerDestinations} label="Settings" onNavigate={onClose} />
      <div className={styles.cells}>
        <RunningCell />
        <TestbedCell />
      </div>
      <div className={styles.foot}>
        <RailUser />
        <ThemeToggle />
      </div>
    </Drawer>
  );
}
