import type { Palette } from '@mqttlab/charts/drawing/palette';
import { textWidth } from '@mqttlab/charts/drawing/text-width';
import { useMemo, useSyncExternalStore } from 'react';
import { TREATMENT_STYLES, treatmentStyle } from '../../ui/treatment-mark.tsx';

/** tokens.css as plain colours: a canvas reads neither variables nor color-mix. */
export interface ChartTheme extends Palette {
  lineStrong: string;
  ghost: string;
  fontSans: string;
  /** By style, 1 to 8: box and bar fill, histogram fill. */
  fills: readonly string[];
  solids: readonly string[];
  /** px of chart text before a chart exists, so that its margins can be fixed beforehand. */
  widthOf(text: string, weight?: 400 | 500 | 600): number;
}

export type TreatmentPaint = { stroke: string; fill: string; solid: string };

/** The paints of a treatment index. */
export function treatmentPaint(theme: ChartTheme, index: number): TreatmentPaint {
  const i = treatmentStyle(index) - 1;
  return {
    stroke: theme.treatments[i] ?? theme.text,
    fill: theme.fills[i] ?? theme.surface,
    solid: theme.solids[i] ?? theme.surface,
  };
}

const attribute = 'data-mantine-color-scheme';

function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: [attribute] });
  return () => observer.disconnect();
}

/** The resolved colours; a new object only when the scheme changes. */
export function useChartTheme(): ChartTheme {
  const scheme = useSyncExternalStore(subscribe, () => document.documentElement.getAttribute(attribute));
  return useMemo(() => {
    void scheme; // The tokens' values follow the attribute.
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
    widthOf: (text, weight = 400) => textWidth(text, { weight }),
  };
}

/** The widest of texts, in whole px. */
export function widest(widths: readonly number[]): number {
  return Math.ceil(Math.max(0, ...widths));
}

type Rgb = readonly [number, number, number];

/** `share` of the first colour in the second, in sRGB; both "#RRGGBB". */
export function mixColours(first: string, second: string, share: number): string {
  const b = parseHex(second);
  const channels = parseHex(first).map((value, i) => Math.round(value * share + (b[i] ?? 0) * (1 - share)));
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** "#RRGGBB" at the given opacity. */
export function withAlpha(colour: string, alpha: number): string {
  const [r, g, b] = parseHex(colour);
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** "#RRGGBB", or "#RGB" as the CSS minifier writes it. */
function parseHex(hex: string): Rgb {
  const digits = hex.replace('#', '');
  const value = Number.parseInt(digits.length === 3 ? digits.replace(/./g, '$&$&') : digits, 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
