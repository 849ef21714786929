import { useNow } from '../experiments/use-now.ts';
import { useLive } from './live-provider.tsx';

/** The server's time in Unix ms, renewed every `everyMs`: its clock and this machine's may differ. */
export function useServerNow(everyMs: number): number {
  const offsetMs = useLive((state) => state.clockOffsetMs);
  return useNow(everyMs) + offsetMs;
}
