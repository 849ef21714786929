import { errorBarAcross, label, line, marker } from '@mqttlab/charts/drawing/plot';
import { hatched } from '@mqttlab/charts/drawing/shapes';
import { el, type SvgNode } from '@mqttlab/charts/drawing/svg';
import { type ChartTheme, treatmentPaint } from './canvas/chart-theme.ts';
import { runsText } from './datasets/estimate-data.ts';

/** Squares of more runs than this would be a bar code. */
const maxSquares = 6;
const squarePx = 11;

/** Room of the squares before their words, px. */
export function squaresWidth(runs: readonly boolean[]): number {
  return runs.length > maxSquares ? 0 : runs.length * squarePx + 5;
}

/** A square for each run, hatched where it is flagged, and how many in words. */
export function runMarks(
  theme: ChartTheme,
  runs: readonly boolean[],
  { x, y }: { x: number; y: number },
): SvgNode[] {
  const squares = runs.length > maxSquares ? [] : runs;
  return [
    ...squares.flatMap((isFlagged, i) => {
      const left = x + i * squarePx;
      const size = squarePx - 2;
      if (isFlagged)
        return hatched({ left, right: left + size, top: y - size / 2, bottom: y + size / 2 }, theme.text2);
      return [el('rect', { x: left, y: y - size / 2, width: size, height: size, fill: theme.text2 })];
    }),
    label(runsText(runs), { x: x + squaresWidth(runs), y, fill: theme.text2 }),
  ];
}

/** Narrower than this, the marker would hide its own interval. */
const markerFitsPx = 16;

type EffectPlace = { value: number; lo: number; hi: number; y: number; isClear: boolean };

/** Interval with caps and marker, hollow where nothing is clear; one narrower than its marker is a bar crossed at the value. */
export function effectMark(
  theme: ChartTheme,
  mark: number,
  { value, lo, hi, y, isClear }: EffectPlace,
): SvgNode[] {
  const { stroke, solid } = treatmentPaint(theme, mark);
  if (hi - lo >= markerFitsPx) {
    const bar = errorBarAcross(stroke, { y, lo, hi, cap: 4, width: 1.5 });
    return [bar, marker(theme, mark, { x: value, y, isHollow: !isClear })];
  }
  const width = Math.max(2, hi - lo);
  const from = (lo + hi) / 2 - width / 2;
  return [
    el('rect', { x: from, y: y - 5, width, height: 10, fill: solid }),
    errorBarAcross(stroke, { y, lo: from, hi: from + width, cap: 5, width: 1.5 }),
    line({ from: [value, y - 8], to: [value, y + 8], stroke, width: 1.5 }),
  ];
}
