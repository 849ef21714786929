import { printPalette } from '@mqttlab/charts/drawing/palette';
import type { ChartTheme } from '../chart-theme.ts';

/** The theme of a chart without a page: colours of print, letters of 7 px. */
export const printTheme: ChartTheme = {
  ...printPalette,
  lineStrong: printPalette.axis,
  ghost: printPalette.axis,
  fontSans: 'sans-serif',
  fills: printPalette.treatments,
  solids: printPalette.treatments,
  widthOf: (text) => 7 * text.length,
};
