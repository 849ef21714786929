import { useNow } from '../pages/experiments/use-now.ts';
import { useLive } from './live-provider.tsx';

/**
 * The server's time in Unix ms, renewed every `everyMs`: its clock and this machine's may differ. While the server is
 * gone it stands still, for nobody knows what goes on.
 */
export function useServerNow(everyMs: number): number {
  const offsetMs = useLive((state) => state.clockOffsetMs);
  const connection = useLive((state) => state.connection);
  const nowMs = useNow(everyMs);
  return (connection.state === 'gone' ? Math.min(nowMs, connection.sinceMs) : nowMs) + offsetMs;
}
