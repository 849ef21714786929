import { niceAxis } from '../charts/nice-axis.ts';

/**
 * The top of an axis that does not jump: it keeps what it was and grows, with room to spare, only when a value no
 * longer fits.
 */
export function growTop(previous: number | null, highest: number): number {
  if (previous !== null && highest <= previous) return previous;
  if (!(highest > 0)) return previous ?? 1;
  return niceAxis({ min: 0, max: highest * 1.2, steps: 3 }).max;
}
