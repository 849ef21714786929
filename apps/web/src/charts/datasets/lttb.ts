export type SeriesPoint = {
  /** Seconds since the measure phase began; negative in the warm-up. */
  t: number;
  v: number;
};

/**
 * Keeps at most `limit` points with the shape of the series: Largest Triangle Three Buckets
 * (Steinarsson 2013). First and last points always stay.
 */
export function decimate(points: readonly SeriesPoint[], limit: number): readonly SeriesPoint[] {
  const n = points.length;
  if (n <= limit || limit < 3) return points;
  const kept: SeriesPoint[] = [points[0]!];
  const size = (n - 2) / (limit - 2);
  let last = points[0]!;
  for (let bucket = 0; bucket < limit - 2; bucket += 1) {
    const from = Math.floor(bucket * size) + 1;
    const to = Math.floor((bucket + 1) * size) + 1;
    const after = average(points, to, Math.min(n, Math.floor((bucket + 2) * size) + 1));
    let best = points[from]!;
    let bestArea = -1;
    for (let i = from; i < to; i += 1) {
      const point = points[i]!;
      const area = Math.abs(
        (last.t - after.t) * (point.v - last.v) - (last.t - point.t) * (after.v - last.v),
      );
      if (area > bestArea) {
        bestArea = area;
        best = point;
      }
    }
    kept.push(best);
    last = best;
  }
  kept.push(points[n - 1]!);
  return kept;
}

function average(points: readonly SeriesPoint[], from: number, to: number): SeriesPoint {
  let t = 0;
  let v = 0;
  for (let i = from; i < to; i += 1) {
    t += points[i]!.t;
    v += points[i]!.v;
  }
  const count = Math.max(1, to - from);
  return { t: t / count, v: v / count };
}
