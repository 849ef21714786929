import { useRef } from 'react';
import { growTop } from '../../live/fixed-scale.ts';

/** The top of an axis for as long as `key` stays the same: it only ever grows. */
export function useFixedTop(key: string, highest: number): number {
  const kept = useRef<{ key: string; top: number | null }>({ key, top: null });
  if (kept.current.key !== key) kept.current = { key, top: null };
  const top = growTop(kept.current.top, highest);
  kept.current.top = top;
  return top;
}
