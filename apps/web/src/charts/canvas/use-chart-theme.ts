import { useMemo, useSyncExternalStore } from 'react';
import { type ChartTheme, resolveChartTheme } from './chart-theme.ts';

const ATTRIBUTE = 'data-mantine-color-scheme';

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: [ATTRIBUTE] });
  return () => observer.disconnect();
}

/** The resolved colours; a new object only when the scheme changes. */
export function useChartTheme(): ChartTheme {
  const scheme = useSyncExternalStore(subscribe, () => document.documentElement.getAttribute(ATTRIBUTE));
  return useMemo(() => {
    void scheme; // The tokens' values follow the attribute.
    return resolveChartTheme(document.documentElement);
  }, [scheme]);
}
