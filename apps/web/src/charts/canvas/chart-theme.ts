import { TREATMENT_STYLES, treatmentStyle } from '../../ui/treatment-mark.tsx';

/** tokens.css as plain colours: a canvas reads neither variables nor color-mix. */
export type ChartTheme = {
  surface: string;
  text: string;
  text2: string;
  text3: string;
  line: string;
  lineStrong: string;
  accent: string;
  accentWeak: string;
  warn: string;
  bad: string;
  axis: string;
  grid: string;
  tick: string;
  title: string;
  error: string;
  ghost: string;
  phase: string;
  published: string;
  fontSans: string;
  fontMono: string;
  /** By style, 1 to 8: lines, text and markers; box and bar fill; histogram fill; interval band (with alpha). */
  strokes: readonly string[];
  fills: readonly string[];
  solids: readonly string[];
  bands: readonly string[];
};

export type TreatmentPaint = { stroke: string; fill: string; solid: string; band: string };

/** The four paints of a treatment index. */
export function treatmentPaint(theme: ChartTheme, index: number): TreatmentPaint {
  const i = treatmentStyle(index) - 1;
  return {
    stroke: theme.strokes[i] ?? theme.text,
    fill: theme.fills[i] ?? theme.surface,
    solid: theme.solids[i] ?? theme.surface,
    band: theme.bands[i] ?? theme.surface,
  };
}

/** Reads the tokens in force on `root`. Call once per theme change. */
export function resolveChartTheme(root: Element): ChartTheme {
  const computed = getComputedStyle(root);
  const read = (name: string) => computed.getPropertyValue(name).trim();
  const percent = (name: string) => Number.parseFloat(read(name)) / 100;
  const surface = read('--surface');
  const styles = Array.from({ length: TREATMENT_STYLES }, (_, i) => i + 1);
  const strokes = styles.map((n) => read(`--t-${n}`));
  const fillShare = (n: number) => percent(n === 1 ? '--t-fill-1' : '--t-fill');
  return {
    surface,
    text: read('--text'),
    text2: read('--text-2'),
    text3: read('--text-3'),
    line: read('--line'),
    lineStrong: read('--line-strong'),
    accent: read('--accent'),
    accentWeak: read('--accent-weak'),
    warn: read('--warn'),
    bad: read('--bad'),
    axis: read('--chart-axis'),
    grid: read('--chart-grid'),
    tick: read('--chart-tick'),
    title: read('--chart-title'),
    error: read('--chart-error'),
    ghost: read('--chart-ghost'),
    phase: read('--chart-phase'),
    published: read('--chart-published'),
    fontSans: read('--font-sans'),
    fontMono: read('--font-mono'),
    strokes,
    fills: styles.map((n) => mixColours(strokes[n - 1] ?? surface, surface, fillShare(n))),
    solids: strokes.map((stroke) => mixColours(stroke, surface, percent('--chart-solid'))),
    bands: strokes.map((stroke) => withAlpha(stroke, percent('--chart-band'))),
  };
}

type Rgb = readonly [number, number, number];

/** `share` of the first colour in the second, in sRGB; both "#RRGGBB". */
export function mixColours(first: string, second: string, share: number): string {
  const a = parseHex(first);
  const b = parseHex(second);
  const channel = (i: 0 | 1 | 2) => Math.round(a[i] * share + b[i] * (1 - share));
  return `rgb(${channel(0)} ${channel(1)} ${channel(2)})`;
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
