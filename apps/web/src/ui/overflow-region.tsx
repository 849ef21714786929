import { type ReactElement, type ReactNode, useLayoutEffect, useRef, useState } from 'react';

type OverflowRegionProps = { label: string; className?: string | undefined; children: ReactNode };

const focusable = { tabIndex: 0, role: 'region' } as const;

/** Scrolls sideways where its content is too wide; only then it is in the tab order and a named region (WCAG 2.1.1). */
export function OverflowRegion({ label, className, children }: OverflowRegionProps): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const [overflows, setOverflows] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || typeof ResizeObserver === 'undefined') return;
    const look = () => setOverflows(element.scrollWidth > element.clientWidth + 1);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    look();
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={box} className={className} {...(overflows ? { ...focusable, 'aria-label': label } : {})}>
      {children}
    </div>
  );
}
