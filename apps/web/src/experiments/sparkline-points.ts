export const sparkSize = { widthPx: 80, heightPx: 36 } as const;

/** Room for half a marker at every edge, px. */
const margin = 5;

export interface SparkPoint {
  key: string;
  x: number;
  y: number;
  mark: number;
}

/** Points side by side, lowest value at the bottom; values that are all alike stand in the middle. */
export function placePoints(points: readonly { mark: number; value: number }[]): SparkPoint[] {
  const values = points.map((point) => point.value);
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  const { widthPx, heightPx } = sparkSize;
  const step = points.length > 1 ? (widthPx - 2 * margin) / (points.length - 1) : 0;
  return points.map(({ mark, value }, index) => ({
    key: `${index}:${mark}`,
    x: round(points.length > 1 ? margin + index * step : widthPx / 2),
    y: round(
      span > 0 ? heightPx - margin - 1 - ((value - low) / span) * (heightPx - 2 * margin - 1) : heightPx / 2,
    ),
    mark,
  }));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
