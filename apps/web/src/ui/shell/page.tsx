import type { ReactElement, ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { useIsPhone } from '../use-is-phone.ts';
import { type Breadcrumb, Crumbs, PhoneTitle } from './crumbs.tsx';
import styles from './page.module.css';
import { usePageSlots } from './page-slots.tsx';

export type { Breadcrumb } from './crumbs.tsx';

export type PageProps = {
  title: string;
  /** The pages above this one. Without them the title itself stands in the top bar. */
  breadcrumbs?: readonly Breadcrumb[];
  /** This page's name in the breadcrumbs, when shorter than the title ("E-121"). */
  crumb?: string;
  /** Left of the title, such as a TreatmentMark. */
  mark?: ReactNode;
  /** Right of the title, such as a StatusBadge. */
  badge?: ReactNode;
  /** One dimmed line after the badge; below the title on phones. */
  subtitle?: ReactNode;
  /** Buttons at the right of the page head; hidden on phones, where `phoneActions` and `bottomBar` serve. */
  actions?: ReactNode;
  /** One or two buttons in the phone's top bar. */
  phoneActions?: ReactNode;
  /** The phone's bottom action bar. */
  bottomBar?: ReactNode;
  /** `scroll`: the page scrolls. `fill`: as high as the window on wide screens. `bare`: fill, no margins or head. */
  layout?: 'scroll' | 'fill' | 'bare';
  children: ReactNode;
};

/** Every page is one of these: it names itself to the shell and lays out its head. */
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
          {!titleInTopBar && <h1 className={styles.title}>{title}</h1>}
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
