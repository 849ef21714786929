import { IconArrowLeft, IconChevronRight } from '@tabler/icons-react';
import { createContext, type ReactElement, type ReactNode, type RefCallback, use, useState } from 'react';
import { createPortal } from 'react-dom';
import { Link } from 'react-router';
import { useIsPhone } from '../theme.ts';
import styles from './page.module.css';

/** Places in the shell that the current page fills through portals. */
type SlotName = 'crumbs' | 'phoneTitle' | 'phoneActions' | 'bottomBar';
type PageSlots = Partial<Record<SlotName, HTMLElement | null>>;

export const PageSlotsContext = createContext<PageSlots>({});

function usePageSlots(): PageSlots {
  return use(PageSlotsContext);
}

export type SlotRefs = Record<SlotName, RefCallback<HTMLElement>>;

/** Returns the mounted slots of a shell and one stable ref for each. */
export function useSlotRefs(): { slots: PageSlots; refs: SlotRefs } {
  const [slots, setSlots] = useState<PageSlots>({});
  const [refs] = useState<SlotRefs>(() => {
    const refFor = (name: SlotName) => (element: HTMLElement | null) =>
      setSlots((old) => ({ ...old, [name]: element }));
    return {
      crumbs: refFor('crumbs'),
      phoneTitle: refFor('phoneTitle'),
      phoneActions: refFor('phoneActions'),
      bottomBar: refFor('bottomBar'),
    };
  });
  return { slots, refs };
}

export function BrandMark(): ReactElement {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" fill="none" aria-hidden="true">
      <rect width="20" height="20" rx="5" fill="var(--text)" />
      <path
        d="M4.5 13.5V7.2L10 11.6l5.5-4.4v6.3"
        stroke="var(--surface)"
        strokeWidth="1.6"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}

type Breadcrumb = { label: string; to: string };
type CrumbsProps = { ancestors: readonly Breadcrumb[]; name: string };

/** Left side of the top bar: breadcrumbs, or the title of a top-level page. */
function Crumbs({ ancestors, name }: CrumbsProps): ReactElement {
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

/** Top bar on phones: link to the parent page, or the logo on a top-level page. */
function PhoneTitle({ ancestors, name }: CrumbsProps): ReactElement {
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

type PageProps = {
  title: string;
  /** Parent pages. Without them, the top bar shows the title. */
  breadcrumbs?: readonly Breadcrumb[];
  /** Short name in the breadcrumbs ("E-121"). Default: the title. */
  crumb?: string;
  /** Left of the title, such as a TreatmentMark. */
  mark?: ReactNode;
  /** Right of the title, such as a StatusBadge. */
  badge?: ReactNode;
  /** One dimmed line after the badge; below the title on phones. */
  subtitle?: ReactNode;
  /** Buttons on the right of the page head. Phones show `phoneActions` and `bottomBar` instead. */
  actions?: ReactNode;
  /** One or two buttons in the top bar on phones. */
  phoneActions?: ReactNode;
  /** The bottom action bar on phones. */
  bottomBar?: ReactNode;
  /**
   * With `scroll`, the page scrolls. With `fill`, it is as high as the window on wide screens. `bare` is
   * `fill` without margins and head.
   */
  layout?: 'scroll' | 'fill' | 'bare';
  children: ReactNode;
};

/** Base of every page. Sets title and breadcrumbs in the shell, and lays out the page head. */
export function Page(props: PageProps): ReactElement {
  const { title, breadcrumbs = [], crumb = title, layout = 'scroll', children } = props;
  const slots = usePageSlots();
  const isPhone = useIsPhone();
  const isTop = breadcrumbs.length === 0;
  // A shell without breadcrumbs (shared links) leaves the title to the page.
  const titleInTopBar = isTop && !isPhone && 'crumbs' in slots;
  const needsHead = !titleInTopBar || props.actions || props.subtitle || props.badge;
  return (
    <div className={styles.page} data-layout={layout}>
      <title>{`${title} · mqttlab`}</title>
      {slots.crumbs && createPortal(<Crumbs ancestors={breadcrumbs} name={crumb} />, slots.crumbs)}
      {slots.phoneTitle &&
        createPortal(<PhoneTitle ancestors={breadcrumbs} name={crumb} />, slots.phoneTitle)}
      {slots.phoneActions && props.phoneActions && createPortal(props.phoneActions, slots.phoneActions)}
      {slots.bottomBar && props.bottomBar && createPortal(props.bottomBar, slots.bottomBar)}
      {layout !== 'bare' && needsHead && (
        <div className={styles.head}>
          {props.mark}
          {!titleInTopBar && <h1 className={styles.pageTitle}>{title}</h1>}
          {props.badge}
          {props.subtitle && <span className={styles.subtitle}>{props.subtitle}</span>}
          {props.actions && <div className={styles.actions}>{props.actions}</div>}
        </div>
      )}
      {layout === 'bare' && !titleInTopBar && <h1 className="visually-hidden">{title}</h1>}
      {children}
    </div>
  );
}
