import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactElement,
  type ReactNode,
  use,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { keyOf } from '../api/client.ts';
import { useApi } from '../api/use-api.ts';
import { useNow } from '../ui/format.ts';
import { useUpdateShellStatus } from '../ui/shell/shell-status.tsx';
import { LiveConnection, type LiveSocket } from './live-connection.ts';
import { initialLiveState, type LiveState, runningCellOf, testbedCellOf } from './live-state.ts';
import { patchQueries, refreshChanged, refreshOpened } from './patch-queries.ts';
import { timeLeftAt } from './time-left.ts';

/** Time after which a newly opened page has rendered, in ms. */
const openedMs = 3000;

const LiveContext = createContext<LiveConnection | null>(null);

function openSocket(path: string): LiveSocket {
  return new WebSocket(path) as LiveSocket;
}

async function probe(): Promise<boolean> {
  const signal = AbortSignal.timeout(5000);
  return fetch('/api/v1/version', { signal }).then(
    (response) => response.ok,
    () => false,
  );
}

/** Keeps one live connection while the page is open. It updates the top bar and the query cache. */
export function LiveProvider({ children }: { children: ReactNode }): ReactElement {
  const client = useQueryClient();
  const [connection] = useState(
    () => new LiveConnection({ openSocket, probe, now: Date.now, random: Math.random }),
  );
  useEffect(() => {
    let isFirst = true;
    let later: ReturnType<typeof setTimeout> | undefined;
    const forget = connection.onEvent((event) => {
      // Responses requested while the connection opened are recent, so request them again only after the page
      // has rendered.
      if (isFirst && event.event === 'snapshot') {
        refreshChanged(client, event.data);
        later = setTimeout(refreshOpened, openedMs, client);
      } else patchQueries(client, event);
      isFirst = false;
    });
    const wake = () => document.visibilityState === 'visible' && connection.retryNow();
    let isOver = false;
    // The first page renders without the event schemas.
    void import('./parse-live-event.ts').then(({ parseLiveEvent }) => {
      if (!isOver) connection.start(parseLiveEvent);
    });
    window.addEventListener('online', wake);
    document.addEventListener('visibilitychange', wake);
    return () => {
      isOver = true;
      forget();
      clearTimeout(later);
      connection.stop();
      window.removeEventListener('online', wake);
      document.removeEventListener('visibilitychange', wake);
    };
  }, [connection, client]);
  return (
    <LiveContext value={connection}>
      <ShellCells />
      {children}
    </LiveContext>
  );
}

/** Returns a part of the live state. `pick` must return existing objects, not copies. */
export function useLive<T>(pick: (state: LiveState) => T): T {
  const connection = use(LiveContext);
  return useSyncExternalStore(connection?.subscribe ?? subscribeToNothing, () =>
    pick(connection?.getState() ?? initialLiveState),
  );
}

function subscribeToNothing(): () => void {
  return () => undefined;
}

function ShellCells(): null {
  const update = useUpdateShellStatus();
  const connection = useLive((state) => state.connection);
  const ready = useLive((state) => state.ready);
  const active = useLive((state) => state.active);
  const testbeds = useLive((state) => state.testbeds);
  const storage = useLive((state) => state.storage);
  useEffect(() => update({ connection }), [update, connection]);
  useEffect(() => update({ storage }), [update, storage]);
  const client = useQueryClient();
  const isGone = connection.state === 'gone';
  useEffect(() => {
    // The server also closes the connection when the session ends. The page then shows the login.
    if (isGone) void client.invalidateQueries({ queryKey: keyOf('GET /session') });
  }, [client, isGone]);
  const reportedAt = useLive((state) => state.reportedAt);
  // The same countdown as on the experiment page.
  const nowMs = useServerNow(active.length > 0 ? 1000 : 60_000);
  const running = runningCellOf({ ready, active, reportedAt }, nowMs);
  const runningKey = JSON.stringify(running ?? null);
  useEffect(() => {
    if (ready) update({ running: JSON.parse(runningKey) });
  }, [update, ready, runningKey]);
  useEffect(() => update({ testbed: testbedCellOf({ ready, testbeds }) }), [update, ready, testbeds]);
  const session = useApi('GET /session').data;
  useEffect(() => {
    const isSomebody = session?.loginRequired && session.name !== null && session.role !== null;
    update({ user: isSomebody ? { name: session.name ?? '', role: session.role ?? '' } : null });
  }, [update, session]);
  const experiments = useApi('GET /experiments', { query: { limit: 1 } }).data?.counts.all;
  useEffect(() => {
    const devices = ready ? { devices: testbeds.reduce((sum, { devices: own }) => sum + own.length, 0) } : {};
    update({ counts: { ...devices, ...(experiments === undefined ? {} : { experiments }) } });
  }, [update, ready, testbeds, experiments]);
  return null;
}

/**
 * Returns the server's time in Unix ms, updated every `everyMs`. Its clock may differ from this machine's.
 * The time stops while the server is unreachable, because the state of runs is then unknown.
 */
export function useServerNow(everyMs: number): number {
  const offsetMs = useLive((state) => state.clockOffsetMs);
  const connection = useLive((state) => state.connection);
  const nowMs = useNow(everyMs);
  return (connection.state === 'gone' ? Math.min(nowMs, connection.sinceMs) : nowMs) + offsetMs;
}

/** Returns the remaining time of an experiment in ms, counted down between two reports from the server. */
export function useTimeLeft(experiment: Pick<ExperimentSummary, 'id' | 'timeLeftMs'>): number | null {
  const reportedAt = useLive((state) => state.reportedAt[experiment.id]);
  const nowMs = useServerNow(experiment.timeLeftMs === null ? 60_000 : 1000);
  return timeLeftAt(experiment, reportedAt, nowMs)?.leftMs ?? null;
}
