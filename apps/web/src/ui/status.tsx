import type { ReactElement, ReactNode } from 'react';
import styles from './status.module.css';
import { STATUS_KINDS, type StatusKind } from './status-kinds.ts';

export type StatusProps = {
  kind: StatusKind;
  /** Replaces the kind's own word: "40 valid". */
  children?: ReactNode;
};

/** Icon and word on a line of text; colour only helps. */
export function StatusLine({ kind, children }: StatusProps): ReactElement {
  const { tone, icon: KindIcon, word } = STATUS_KINDS[kind];
  return (
    <span className={styles.line} data-tone={tone}>
      <KindIcon size={16} stroke={2} aria-hidden />
      <span>{children ?? word}</span>
    </span>
  );
}

/** The same as a pill, for page heads. */
export function StatusBadge({ kind, children }: StatusProps): ReactElement {
  const { tone, icon: KindIcon, word } = STATUS_KINDS[kind];
  return (
    <span className={styles.badge} data-tone={tone}>
      <KindIcon size={14} stroke={2.2} aria-hidden />
      {children ?? word}
    </span>
  );
}
