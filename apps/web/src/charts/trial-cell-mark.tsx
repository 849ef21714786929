import {
  type Icon,
  IconBan,
  IconCircleMinus,
  IconFlag,
  IconPlayerPlay,
  IconRefresh,
  IconX,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { TrialCell, TrialState } from './progress-grid-data.ts';
import styles from './trial-cell-mark.module.css';

/** Icons of states that need more than their text. */
const STATE_ICONS: Readonly<Partial<Record<TrialState, Icon>>> = {
  flagged: IconFlag,
  failed: IconX,
  retried: IconRefresh,
  excluded: IconCircleMinus,
  cancelled: IconBan,
};

type TrialCellMarkProps = {
  cell: TrialCell;
  /** Style, 1 to 8, that tints completed cells. */
  style: number;
  /** A cell on phones: 21 px high, with an icon instead of the text if there is one. */
  isSmall?: boolean;
};

/** The content of a cell; the surrounding button or row provides the accessible name. */
export function TrialCellMark({ cell, style, isSmall = false }: TrialCellMarkProps): ReactElement {
  const StateIcon = isSmall && cell.state === 'running' ? IconPlayerPlay : STATE_ICONS[cell.state];
  const hidesText = isSmall && StateIcon !== undefined;
  return (
    <span
      className={styles.cell}
      data-state={cell.state}
      data-t={style}
      data-small={isSmall || undefined}
      aria-hidden
    >
      {cell.state === 'running' && (
        <span className={styles.progress} style={{ width: `${Math.round((cell.progress ?? 0) * 100)}%` }} />
      )}
      {StateIcon && <StateIcon size={12} stroke={2.2} />}
      {!hidesText && <span className={styles.text}>{cell.text}</span>}
    </span>
  );
}
