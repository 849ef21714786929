import { Drawer } from '@mantine/core';
import { formatCount } from '@mqttlab/shared/format/number';
import {
  type Icon,
  IconBooks,
  IconCpu,
  IconFlask,
  IconScale,
  IconSearch,
  IconSettings,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Link, useLocation } from 'react-router';
import { HelpLink } from './help-link.tsx';
import styles from './navigation.module.css';
import { BrandMark } from './page.tsx';
import { type NavCounts, useShellStatus } from './shell-status.tsx';
import { RunningCell, TestbedCell, ThemeToggle } from './top-bar.tsx';

/** The list of experiments is also the page at the root. */
const HOME = '/experiments';

type Destination = { to: string; label: string; icon: Icon; count?: keyof NavCounts };

export const mainDestinations: readonly Destination[] = [
  { to: HOME, label: 'Experiments', icon: IconFlask, count: 'experiments' },
  { to: '/compare', label: 'Compare', icon: IconScale },
  { to: '/devices', label: 'Devices', icon: IconCpu, count: 'devices' },
  { to: '/studies', label: 'Studies', icon: IconBooks, count: 'studies' },
];

export const lowerDestinations: readonly Destination[] = [
  { to: '/settings', label: 'Settings', icon: IconSettings },
];

/** Opens the search, like Ctrl K anywhere. */
function SearchLink({ onSearch }: { onSearch: () => void }): ReactElement {
  return (
    <button type="button" className={`${styles.link} ${styles.search}`} title="Search" onClick={onSearch}>
      <IconSearch size={16} stroke={2} aria-hidden />
      <span className={styles.label}>Search</span>
      <kbd className={styles.key}>Ctrl K</kbd>
    </button>
  );
}

type NavLinksProps = { destinations: readonly Destination[]; label: string; onNavigate?: () => void };

function NavLinks({ destinations, label, onNavigate }: NavLinksProps): ReactElement {
  const { counts } = useShellStatus();
  const { pathname } = useLocation();
  return (
    <nav aria-label={label}>
      <ul>
        {destinations.map(({ to, label: name, icon: DestinationIcon, count }) => {
          const n = count && counts[count];
          const isHere =
            pathname === to || pathname.startsWith(`${to}/`) || (pathname === '/' && to === HOME);
          return (
            <li key={to}>
              <Link
                to={to}
                title={name}
                onClick={onNavigate}
                className={`${styles.link} ${isHere ? styles.on : ''}`}
                aria-current={isHere ? 'page' : undefined}
              >
                <DestinationIcon size={16} stroke={2} aria-hidden />
                <span className={styles.label}>{name}</span>
                {n !== undefined && <span className={styles.count}>{formatCount(n)}</span>}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

export function Rail({ onSearch }: { onSearch: () => void }): ReactElement {
  return (
    <aside className={styles.rail}>
      <Link to="/experiments" className={styles.brand} aria-label="mqttlab">
        <BrandMark />
        <span className={styles.word}>mqttlab</span>
      </Link>
      <NavLinks destinations={mainDestinations} label="Main" />
      <div className={styles.space} />
      <SearchLink onSearch={onSearch} />
      <NavLinks destinations={lowerDestinations} label="Settings" />
      <RailUser />
    </aside>
  );
}

/** The current user and the role that determines the user's permissions. */
function RailUser(): ReactElement | null {
  const { user } = useShellStatus();
  if (!user) return null;
  const initials = user.name
    .split(/\s+/)
    .map((word) => word.charAt(0).toUpperCase())
    .slice(0, 2)
    .join('');
  return (
    <div className={styles.user}>
      <span className={styles.avatar} aria-hidden>
        {initials}
      </span>
      <span className={styles.who}>
        <b>{user.name}</b>
        <span>{user.role}</span>
      </span>
    </div>
  );
}

type MenuDrawerProps = { opened: boolean; onClose: () => void; onSearch: () => void };

/** The menu on phones, with the rail and the cells that do not fit in the top bar. */
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
        <HelpLink />
        <ThemeToggle />
      </div>
    </Drawer>
  );
}
