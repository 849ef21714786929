import { IconArrowLeft, IconChevronRight } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { BrandMark } from './brand-mark.tsx';
import styles from './crumbs.module.css';

export type Breadcrumb = { label: string; to: string };
type CrumbsProps = { ancestors: readonly Breadcrumb[]; name: string };

/** The top bar's left side: the path to this page, or its title when it has none above it. */
export function Crumbs({ ancestors, name }: CrumbsProps): ReactElement {
  if (ancestors.length === 0) return <h1 className={styles.title}>{name}</h1>;
  return (
    <nav aria-label="Breadcrumbs">
      <ol className={styles.list}>
        {ancestors.map(({ label, to }) => (
          <li key={to}>
            <Link to={to}>{label}</Link>
            <IconChevronRight size={14} stroke={2} aria-hidden />
          </li>
        ))}
        <li aria-current="page">{name}</li>
      </ol>
    </nav>
  );
}

/** The phone's top bar: back to the page above, or the mark on a page that has none. */
export function PhoneTitle({ ancestors, name }: CrumbsProps): ReactElement {
  const parent = ancestors.at(-1);
  return (
    <>
      <Link
        className={styles.back}
        to={parent?.to ?? '/experiments'}
        aria-label={parent ? `Back to ${parent.label}` : 'mqttlab, experiments'}
      >
        {parent ? <IconArrowLeft size={18} stroke={2} aria-hidden /> : <BrandMark />}
      </Link>
      <span className={styles.name}>{parent && name.length > 16 ? parent.label : name}</span>
    </>
  );
}
