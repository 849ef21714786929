import type { ReactElement, ReactNode } from 'react';

export type ScrollRegionProps = { label: string; className?: string | undefined; children: ReactNode };

/** In the tab order, so that the keyboard can scroll what holds nothing else to focus (WCAG 2.1.1). */
const focusable = { tabIndex: 0 } as const;

/** A part of the page that scrolls by itself. */
export function ScrollRegion({ label, className, children }: ScrollRegionProps): ReactElement {
  return (
    <section {...focusable} className={className} aria-label={label}>
      {children}
    </section>
  );
}
