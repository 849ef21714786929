import type { ChartTheme } from './chart-theme.ts';
import { fontOf, type TextWeight } from './draw.ts';

export type MeasureText = (text: string, weight?: TextWeight) => number;

/** Measures 11 px chart text before a chart exists, so that its margins can be fixed beforehand. */
export function makeMeasureText(theme: ChartTheme): MeasureText {
  const ctx = document.createElement('canvas').getContext('2d');
  return (text, weight = 400) => {
    if (!ctx) return text.length * 6.4;
    ctx.font = fontOf(theme, { weight });
    return ctx.measureText(text).width;
  };
}
