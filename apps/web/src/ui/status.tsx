import {
  type Icon,
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconFlag,
  IconLoader2,
  IconMinus,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlugConnectedX,
  IconRefresh,
} from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import styles from './status.module.css';

type StatusTone = 'ok' | 'warn' | 'bad' | 'run' | 'mute';

type StatusLook = { tone: StatusTone; icon: Icon; word: string };

/** Icon, label and tone for each state of experiments, runs, verdicts and devices. */
export const STATUS_KINDS = {
  running: { tone: 'run', icon: IconPlayerPlay, word: 'Running' },
  preparing: { tone: 'run', icon: IconLoader2, word: 'Preparing' },
  collecting: { tone: 'run', icon: IconLoader2, word: 'Collecting' },
  paused: { tone: 'warn', icon: IconPlayerPause, word: 'Paused' },
  queued: { tone: 'mute', icon: IconClock, word: 'Queued' },
  planned: { tone: 'mute', icon: IconClock, word: 'Planned' },
  draft: { tone: 'mute', icon: IconPencil, word: 'Draft' },
  done: { tone: 'ok', icon: IconCircleCheck, word: 'Done' },
  valid: { tone: 'ok', icon: IconCircleCheck, word: 'Valid' },
  passed: { tone: 'ok', icon: IconCircleCheck, word: 'Passed' },
  ready: { tone: 'ok', icon: IconCircleCheck, word: 'Ready' },
  stopped: { tone: 'mute', icon: IconPlayerStop, word: 'Stopped' },
  cancelled: { tone: 'mute', icon: IconBan, word: 'Cancelled' },
  failed: { tone: 'bad', icon: IconCircleX, word: 'Failed' },
  interrupted: { tone: 'bad', icon: IconPlugConnectedX, word: 'Interrupted' },
  unreachable: { tone: 'bad', icon: IconPlugConnectedX, word: 'Unreachable' },
  flagged: { tone: 'warn', icon: IconFlag, word: 'Flagged' },
  warning: { tone: 'warn', icon: IconAlertTriangle, word: 'Warning' },
  retried: { tone: 'mute', icon: IconRefresh, word: 'Retried' },
  notApplicable: { tone: 'mute', icon: IconMinus, word: 'Does not apply' },
} as const satisfies Record<string, StatusLook>;

export type StatusKind = keyof typeof STATUS_KINDS;

type StatusProps = {
  kind: StatusKind;
  /** Text that replaces the default label: "40 valid". */
  children?: ReactNode;
};

/** Icon and label in a line of text. The meaning does not depend on colour. */
export function StatusLine({ kind, children }: StatusProps): ReactElement {
  const { tone, icon: KindIcon, word } = STATUS_KINDS[kind];
  return (
    <span className={styles.line} data-tone={tone}>
      <KindIcon size={16} stroke={2} aria-hidden />
      <span>{children ?? word}</span>
    </span>
  );
}

/** The status as a badge, for page heads. */
export function StatusBadge({ kind, children }: StatusProps): ReactElement {
  const { tone, icon: KindIcon, word } = STATUS_KINDS[kind];
  return (
    <span className={styles.badge} data-tone={tone}>
      <KindIcon size={14} stroke={2.2} aria-hidden />
      {children ?? word}
    </span>
  );
}
