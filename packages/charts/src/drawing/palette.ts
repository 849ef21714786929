/** Colours of a drawing. `treatments` by style, 1 to 8. */
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
  /** Both ends of a scale that runs through nothing. */
  low: string;
  high: string;
  /** Of the band around a curve. */
  bandOpacity: number;
}

const styles = [1, 2, 3, 4, 5, 6, 7, 8];

/** As the page's tokens say, in either colour scheme. */
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
};

/** Ink on white, for files and paper; the light tokens. */
export const printPalette: Palette = {
  surface: '#FFFFFF',
  text: '#14181D',
  text2: '#47505B',
  text3: '#626C78',
  axis: '#CBD0D7',
  grid: '#EBEDF0',
  accent: '#4450C4',
  shade: '#F3F4F7',
  treatments: ['#1B1F24', '#0072B2', '#D55E00', '#008F68', '#BE6496', '#B27A00', '#2F93CC', '#8F8700'],
  low: '#0072B2',
  high: '#D55E00',
  bandOpacity: 0.13,
};

/** Dash on-off lengths by style, as --dash-N in tokens.css. */
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

export function colourOf(palette: Palette, mark: number): string {
  return palette.treatments[(Math.max(1, mark) - 1) % styles.length] ?? palette.text;
}

/** undefined for the unbroken line. */
export function dashOf(mark: number): string | undefined {
  const dash = dashes[(Math.max(1, mark) - 1) % dashes.length] ?? [];
  return dash.length > 0 ? dash.join(' ') : undefined;
}
