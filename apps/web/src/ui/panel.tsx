import { type ReactElement, type ReactNode, type Ref, useId } from 'react';
import styles from './panel.module.css';

type PanelProps = {
  title?: ReactNode;
  /** Shown dimmed after the title: unit and encoding, or a count. */
  subtitle?: ReactNode;
  /** Left of the title, such as a TreatmentMark. */
  mark?: ReactNode;
  /** On the right of the header: switches, then icon buttons. */
  actions?: ReactNode;
  /** Draws a line below the header, for tables and lists that reach the panel's edges. */
  flush?: boolean;
  /** Adds padding around the content; not for tables and charts, which have their own padding. */
  padded?: boolean;
  /** Fills the remaining height of a column; its content scrolls. */
  fill?: boolean;
  children: ReactNode;
};

/** A panel for content. With a title, it is a named region. */
export function Panel(props: PanelProps): ReactElement {
  const { title, subtitle, mark, actions, children } = props;
  const titleId = useId();
  const body = <div className={styles.body}>{children}</div>;
  const state = {
    'data-flush': props.flush || undefined,
    'data-padded': props.padded || undefined,
    'data-fill': props.fill || undefined,
  };
  if (title === undefined) {
    return (
      <div className={styles.panel} {...state}>
        {body}
      </div>
    );
  }
  return (
    <section className={styles.panel} aria-labelledby={titleId} {...state}>
      <header className={styles.head}>
        {mark}
        <div className={styles.words}>
          <h2 id={titleId}>{title}</h2>
          {subtitle && <span className={styles.subtitle}>{subtitle}</span>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {body}
    </section>
  );
}

type ScrollRegionProps = {
  label: string;
  className?: string | undefined;
  region?: Ref<HTMLElement>;
  onScroll?: () => void;
  children: ReactNode;
};

/**
 * The region is in the tab order, so that the keyboard can scroll content without focusable elements (WCAG
 * 2.1.1).
 */
const focusable = { tabIndex: 0 } as const;

/** A part of the page that scrolls separately. */
export function ScrollRegion(props: ScrollRegionProps): ReactElement {
  const { label, className, region, onScroll, children } = props;
  return (
    <section {...focusable} ref={region} className={className} aria-label={label} onScroll={onScroll}>
      {children}
    </section>
  );
}
