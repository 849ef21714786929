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
import styles from './nav-links.module.css';
import { type NavCounts, useShellStatus } from './shell-status.tsx';

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

/** Opens the search, as Ctrl K does from anywhere. */
export function SearchLink({ onSearch }: { onSearch: () => void }): ReactElement {
  return (
    <button type="button" className={`${styles.link} ${styles.search}`} title="Search" onClick={onSearch}>
      <IconSearch size={16} stroke={2} aria-hidden />
      <span className={styles.label}>Search</span>
      <kbd className={styles.key}>Ctrl K</kbd>
    </button>
  );
}

type NavLinksProps = { destinations: readonly Destination[]; label: string; onNavigate?: () => void };

export function NavLinks({ destinations, label, onNavigate }: NavLinksProps): ReactElement {
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
