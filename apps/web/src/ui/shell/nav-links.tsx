import { type Icon, IconBooks, IconCpu, IconFlask, IconScale, IconSettings } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { NavLink, useLocation } from 'react-router';
import { formatCount } from '../format/number.ts';
import styles from './nav-links.module.css';
import { type NavCounts, useShellStatus } from './shell-status.tsx';

type Destination = { to: string; label: string; icon: Icon; count?: keyof NavCounts };

export const mainDestinations: readonly Destination[] = [
  { to: '/experiments', label: 'Experiments', icon: IconFlask, count: 'experiments' },
  { to: '/compare', label: 'Compare', icon: IconScale },
  { to: '/devices', label: 'Devices', icon: IconCpu, count: 'devices' },
  { to: '/protocols', label: 'Protocols', icon: IconBooks, count: 'protocols' },
];

export const lowerDestinations: readonly Destination[] = [
  { to: '/settings', label: 'Settings', icon: IconSettings },
];

type NavLinksProps = { destinations: readonly Destination[]; label: string; onNavigate?: () => void };

export function NavLinks({ destinations, label, onNavigate }: NavLinksProps): ReactElement {
  const { counts } = useShellStatus();
  const { pathname } = useLocation();
  return (
    <nav aria-label={label}>
      <ul>
        {destinations.map(({ to, label: name, icon: DestinationIcon, count }) => {
          const n = count && counts[count];
          const isHome = pathname === '/' && to === '/experiments';
          return (
            <li key={to}>
              <NavLink
                to={to}
                onClick={onNavigate}
                className={({ isActive }) => `${styles.link} ${isActive || isHome ? styles.on : ''}`}
                aria-current={isHome ? 'page' : undefined}
              >
                <DestinationIcon size={16} stroke={2} aria-hidden />
                {name}
                {n !== undefined && <span className={styles.count}>{formatCount(n)}</span>}
              </NavLink>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
