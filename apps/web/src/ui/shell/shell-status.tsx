import { createContext, type ReactElement, type ReactNode, use, useCallback, useState } from 'react';

/** Whether the page hears the server. `gone` keeps the data on screen and says since when. */
export type ConnectionStatus =
  | { state: 'connecting' }
  | { state: 'connected' }
  | { state: 'gone'; sinceMs: number };

export type RunningExperiment = {
  /** Short code, such as "E-121". */
  code: string;
  href: string;
  state: 'running' | 'paused';
  doneTrials: number;
  totalTrials: number;
  /** Time left from observed medians; null before there is one. */
  leftMs: number | null;
};

export type TestbedStatus = {
  name: string;
  isInUse: boolean;
  online: number;
  /** Started when a run needs them; they are neither online nor off. */
  onStandby: number;
  off: number;
  href: string;
};

/** Why the server can keep nothing now, and what to do. */
export type StorageNotice = { message: string; remedy: string; since: number };

export type NavCounts = { experiments?: number; devices?: number; studies?: number };

type ShellUser = { name: string; role: string };

/** What the rail and top bar show on every page. `undefined`: not known yet; `null`: there is none. */
type ShellStatus = {
  connection: ConnectionStatus;
  storage: StorageNotice | null;
  running: RunningExperiment | null | undefined;
  testbed: TestbedStatus | null | undefined;
  counts: NavCounts;
  user: ShellUser | null | undefined;
};

const unknownStatus: ShellStatus = {
  connection: { state: 'connecting' },
  storage: null,
  running: undefined,
  testbed: undefined,
  counts: {},
  user: undefined,
};

const StatusContext = createContext<ShellStatus>(unknownStatus);
const UpdateContext = createContext<(patch: Partial<ShellStatus>) => void>(() => undefined);

export function ShellStatusProvider({ children }: { children: ReactNode }): ReactElement {
  const [status, setStatus] = useState(unknownStatus);
  const update = useCallback((patch: Partial<ShellStatus>) => setStatus((old) => ({ ...old, ...patch })), []);
  return (
    <UpdateContext value={update}>
      <StatusContext value={status}>{children}</StatusContext>
    </UpdateContext>
  );
}

export function useShellStatus(): ShellStatus {
  return use(StatusContext);
}

/** Returns a stable function that replaces the given cells and leaves the others. */
export function useUpdateShellStatus(): (patch: Partial<ShellStatus>) => void {
  return use(UpdateContext);
}
