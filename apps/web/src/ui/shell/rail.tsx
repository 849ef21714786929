import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { BrandMark } from './brand-mark.tsx';
import { lowerDestinations, mainDestinations, NavLinks, SearchLink } from './nav-links.tsx';
import styles from './rail.module.css';
import { useShellStatus } from './shell-status.tsx';

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

/** Who is signed in, with the role that decides what they may do. */
export function RailUser(): ReactElement | null {
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
