import { useRef } from 'react';

/** Tops whose halves and quarters are short numbers. */
const tops = [1, 1.2, 1.6, 2, 4, 6, 8, 10];

/**
 * The top of an axis that does not jump: it keeps what it was and grows, with room to spare, only when a value no
 * longer fits.
 */
export function growTop(previous: number | null, highest: number): number {
  if (previous !== null && highest <= previous) return previous;
  if (!(highest > 0)) return previous ?? 1;
  const wanted = highest * 1.15;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const lead = tops.find((top) => top * power >= wanted) ?? 10;
  return Number((lead * power).toPrecision(2));
}

/** What the next run will hardly exceed, from earlier ones: their upper quartile, so that one outlier does not flatten all. */
export function expectHighest(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * 0.75)] ?? 0;
}

/** The top of an axis for as long as `key` stays the same: it only ever grows. */
export function useFixedTop(key: string, highest: number): number {
  const kept = useRef<{ key: string; top: number | null }>({ key, top: null });
  if (kept.current.key !== key) kept.current = { key, top: null };
  const top = growTop(kept.current.top, highest);
  kept.current.top = top;
  return top;
}
