/** Colours of a drawing. `treatments` are indexed by style, 1 to 8. */
export interface Palette {
  surface: string;
  text: string;
  text2: string;
  text3: string;
  axis: string;
  grid: string;
  accent: string;
  shade: string;
  treatments: readonly string[];
  /** Both ends of a diverging scale. */
  low: string;
  high: string;
  /** Opacity of the band around a line. */
  bandOpacity: number;
  /** Earlier repetitions. */
  ghost: string;
  /** Fill of boxes and bars, and the stronger fill of histograms, by style, 1 to 8. */
  fills: readonly string[];
  solids: readonly string[];
}

const styles = [1, 2, 3, 4, 5, 6, 7, 8];

/**
 * Shares of a treatment's colour in its fills, as in --t-fill-1, --t-fill and --chart-solid of tokens.css.
 */
const fillShares = { first: 0.1, other: 0.16, solid: 0.42 };

/** The colour tokens of the page, in either colour scheme. */
export const pagePalette: Palette = {
  surface: 'var(--surface)',
  text: 'var(--text)',
  text2: 'var(--text-2)',
  text3: 'var(--text-3)',
  axis: 'var(--chart-axis)',
  grid: 'var(--chart-grid)',
  accent: 'var(--accent)',
  shade: 'var(--chart-phase)',
  treatments: styles.map((style) => `var(--t-${style})`),
  low: 'var(--t-2)',
  high: 'var(--t-3)',
  bandOpacity: 0.13,
  ghost: 'var(--chart-ghost)',
  fills: styles.map((style) => mixed(style, style === 1 ? '--t-fill-1' : '--t-fill')),
  solids: styles.map((style) => mixed(style, '--chart-solid')),
};

function mixed(style: number, share: string): string {
  return `color-mix(in srgb, var(--t-${style}) var(${share}), var(--surface))`;
}

const printTreatments = [
  '#1B1F24',
  '#0072B2',
  '#D55E00',
  '#008F68',
  '#BE6496',
  '#B27A00',
  '#2F93CC',
  '#8F8700',
];

/** Black on white, for files and print; the light tokens. */
export const printPalette: Palette = {
  surface: '#FFFFFF',
  text: '#14181D',
  text2: '#47505B',
  text3: '#626C78',
  axis: '#CBD0D7',
  grid: '#EBEDF0',
  accent: '#4450C4',
  shade: '#F3F4F7',
  treatments: printTreatments,
  low: '#0072B2',
  high: '#D55E00',
  bandOpacity: 0.13,
  ghost: '#B4BBC5',
  fills: printTreatments.map((colour, i) =>
    mixColours(colour, '#FFFFFF', i === 0 ? fillShares.first : fillShares.other),
  ),
  solids: printTreatments.map((colour) => mixColours(colour, '#FFFFFF', fillShares.solid)),
};

/** On-off lengths of the dashes by style, as in --dash-N of tokens.css. */
export const dashes: readonly (readonly number[])[] = [
  [],
  [7, 3],
  [2, 2],
  [9, 3, 2, 3],
  [4, 2],
  [12, 4],
  [1, 3],
  [9, 3, 2, 3, 2, 3],
];

/** Returns the style, 1 to 8, that selects colour, dash and marker. Styles repeat after eight. */
export function styleOf(mark: number): number {
  return ((Math.max(1, Math.round(mark)) - 1) % styles.length) + 1;
}

export function colourOf(palette: Palette, mark: number): string {
  return palette.treatments[styleOf(mark) - 1] ?? palette.text;
}

/** Returns the fill of boxes and bars. */
export function fillOf(palette: Palette, mark: number): string {
  return palette.fills[styleOf(mark) - 1] ?? palette.surface;
}

/** Returns the fill of histograms and phases. */
export function solidOf(palette: Palette, mark: number): string {
  return palette.solids[styleOf(mark) - 1] ?? palette.surface;
}

/** Returns the dash lengths; undefined for a solid line. */
export function dashOf(mark: number): string | undefined {
  const dash = dashes[styleOf(mark) - 1] ?? [];
  return dash.length > 0 ? dash.join(' ') : undefined;
}

type Rgb = readonly [number, number, number];

/** Mixes `share` of the first colour into the second, in sRGB; both are "#RRGGBB". */
export function mixColours(first: string, second: string, share: number): string {
  const b = parseHex(second);
  const channels = parseHex(first).map((value, i) => Math.round(value * share + (b[i] ?? 0) * (1 - share)));
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Returns "#RRGGBB" at the given opacity. */
export function withAlpha(colour: string, alpha: number): string {
  const [r, g, b] = parseHex(colour);
  return `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** Parses "#RRGGBB", or "#RGB" as the CSS minifier writes it. */
function parseHex(hex: string): Rgb {
  const digits = hex.replace('#', '');
  const value = Number.parseInt(digits.length === 3 ? digits.replace(/./g, '$&$&') : digits, 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
