import { inSentence } from '@mqttlab/shared/format/unit';
import { createContext, type ReactElement, type ReactNode, use, useCallback, useState } from 'react';
import { formatTimeOfDay } from '../format.ts';
import { STATUS_KINDS, StatusBadge, type StatusKind } from '../status.tsx';

/**
 * Connection to the server. If it is `gone`, the server is unreachable, and data stays visible with the time
 * of the last contact.
 */
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
  /** Remaining time, based on observed medians; null before the first median. */
  leftMs: number | null;
};

export type TestbedStatus = {
  name: string;
  isInUse: boolean;
  online: number;
  /** Devices that start when a run needs them; neither online nor off. */
  onStandby: number;
  off: number;
  href: string;
};

/** Why the server cannot store data now, with a remedy. */
export type StorageNotice = { message: string; remedy: string; since: number };

export type NavCounts = { experiments?: number; devices?: number; studies?: number };

type ShellUser = { name: string; role: string };

/** Values in navigation and top bar. `undefined` means not yet known, `null` means none. */
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

/**
 * A status as a pill. While the server is unreachable, the pill shows the status as of the last contact,
 * unless it is final.
 */
export function CurrentBadge(props: {
  kind: StatusKind;
  word?: string | undefined;
  isFinal: boolean;
}): ReactElement {
  const { kind, word = STATUS_KINDS[kind].word, isFinal } = props;
  const { connection } = useShellStatus();
  if (connection.state !== 'gone' || isFinal) return <StatusBadge kind={kind}>{word}</StatusBadge>;
  const was = `Was ${inSentence(word)} at ${formatTimeOfDay(connection.sinceMs)}`;
  return <StatusBadge kind="unreachable">{was}</StatusBadge>;
}

/** Explains why nothing can be changed on the server now; null while it is reachable. */
export function useRefusal(): string | null {
  const { connection } = useShellStatus();
  return connection.state === 'gone'
    ? `The server has not been reachable since ${formatTimeOfDay(connection.sinceMs)}`
    : null;
}

/** Returns a stable function that replaces the given cells and leaves the others. */
export function useUpdateShellStatus(): (patch: Partial<ShellStatus>) => void {
  return use(UpdateContext);
}
