import { useEffect, useState } from 'react';

/** The time in Unix ms, renewed every `everyMs`, so that "2 min ago" does not grow stale on screen. */
export function useNow(everyMs = 30_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
