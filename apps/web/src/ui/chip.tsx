import { Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { ReactElement, ReactNode } from 'react';
import styles from './chip.module.css';

/** Icon and label of levels for laboratories only. */
function CautionMark(): ReactElement {
  return (
    <span className={styles.caution}>
      <IconAlertTriangle size={12} stroke={2.2} aria-hidden />
      insecure
    </span>
  );
}

/** `InsecureMark` with its reason on hover, focus and touch. */
export function Caution({ reason }: { reason: string }): ReactElement {
  return (
    <Tooltip label={reason} multiline w={280}>
      <button type="button" className={styles.button} aria-label={`Insecure: ${reason}`}>
        <CautionMark />
      </button>
    </Tooltip>
  );
}

type ChipProps = {
  selected: boolean;
  onToggle: () => void;
  /** Monospace, for suites, groups and ids. */
  mono?: boolean;
  /** Why it is insecure: shown on hover and focus, and marked with icon and label. */
  caution?: string;
  children: ReactNode;
};

/** A level of a factor, selected with a click, Space or Enter. */
export function Chip({ selected, onToggle, mono, caution, children }: ChipProps): ReactElement {
  const chip = (
    <button type="button" className={styles.chip} aria-pressed={selected} onClick={onToggle}>
      {selected && <IconCheck size={14} stroke={2.2} aria-hidden />}
      <span className={mono ? styles.mono : undefined}>{children}</span>
      {caution && <CautionMark />}
    </button>
  );
  if (!caution) return chip;
  return (
    <Tooltip label={caution} multiline w={280} events={{ hover: true, focus: true, touch: true }}>
      {chip}
    </Tooltip>
  );
}

type ImpossibleChipProps = {
  /** Why this level is not available, in a few words: "no device has a modem". */
  reason: ReactNode;
  mono?: boolean;
  children: ReactNode;
};

/** A level that cannot be selected: struck out, with the reason. */
export function ImpossibleChip({ reason, mono, children }: ImpossibleChipProps): ReactElement {
  return (
    <span className={`${styles.chip} ${styles.impossible}`}>
      <s className={mono ? styles.mono : undefined}>{children}</s>
      <span className="visually-hidden">not possible: </span>
      <span className={styles.reason}>{reason}</span>
    </span>
  );
}

/** Chips that wrap, 6 px apart. */
export function ChipGroup({ label, children }: { label: string; children: ReactNode }): ReactElement {
  return (
    <fieldset className={styles.group}>
      <legend className="visually-hidden">{label}</legend>
      {children}
    </fieldset>
  );
}
