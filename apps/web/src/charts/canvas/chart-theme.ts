import { mixColours, type Palette } from '@mqttlab/charts/drawing/palette';
import { useMemo, useSyncExternalStore } from 'react';
import { TREATMENT_STYLES } from '../../ui/treatment-mark.tsx';

/** The tokens of tokens.css as plain colours, because a canvas supports neither variables nor color-mix. */
export interface ChartTheme extends Palette {
  lineStrong: string;
  fontSans: string;
}

const attribute = 'data-mantine-color-scheme';

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: [attribute] });
  return () => observer.disconnect();
}

/** Returns the resolved colours; the same object until the scheme changes. */
export function useChartTheme(): ChartTheme {
  const scheme = useSyncExternalStore(subscribe, () => document.documentElement.getAttribute(attribute));
  return useMemo(() => {
    void scheme; // This attribute selects the values of the tokens.
    return resolveChartTheme(document.documentElement);
  }, [scheme]);
}

function resolveChartTheme(root: Element): ChartTheme {
  const computed = getComputedStyle(root);
  const read = (name: string) => computed.getPropertyValue(name).trim();
  const percent = (name: string) => Number.parseFloat(read(name)) / 100;
  const surface = read('--surface');
  const styles = Array.from({ length: TREATMENT_STYLES }, (_, i) => i + 1);
  const treatments = styles.map((n) => read(`--t-${n}`));
  const mixed = (share: (style: number) => number) =>
    treatments.map((stroke, i) => mixColours(stroke, surface, share(i + 1)));
  const fontSans = read('--font-sans');
  return {
    surface,
    text: read('--text'),
    text2: read('--text-2'),
    text3: read('--text-3'),
    axis: read('--chart-axis'),
    grid: read('--chart-grid'),
    accent: read('--accent'),
    shade: read('--chart-phase'),
    treatments,
    low: read('--t-2'),
    high: read('--t-3'),
    bandOpacity: percent('--chart-band'),
    lineStrong: read('--line-strong'),
    ghost: read('--chart-ghost'),
    fontSans,
    fills: mixed((style) => percent(style === 1 ? '--t-fill-1' : '--t-fill')),
    solids: mixed(() => percent('--chart-solid')),
  };
}
