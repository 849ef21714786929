import { Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useLayoutEffect,
  useRef,
} from 'react';
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
  /** True for suites, groups and ids, which are shown in monospace. */
  mono?: boolean;
  /** Why the level is insecure; shown on hover and focus, and marked with an icon and a label. */
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

/** A level that cannot be selected, struck out and shown with the reason. */
export function ImpossibleChip({ reason, mono, children }: ImpossibleChipProps): ReactElement {
  return (
    <span className={`${styles.chip} ${styles.impossible}`}>
      <s className={mono ? styles.mono : undefined}>{children}</s>
      <span className="visually-hidden">not possible: </span>
      <span className={styles.reason}>{reason}</span>
    </span>
  );
}

/**
 * Chips that wrap, 6 px apart. The group has one Tab stop; arrow keys, Home and End move between the chips
 * (toolbar pattern of the ARIA Authoring Practices).
 */
export function ChipGroup({ label, children }: { label: string; children: ReactNode }): ReactElement {
  const group = useRef<HTMLFieldSetElement>(null);
  const current = useRef<HTMLButtonElement | null>(null);
  const chips = () => [...(group.current?.querySelectorAll<HTMLButtonElement>('button[aria-pressed]') ?? [])];
  const enter = (chip: HTMLButtonElement | null): void => {
    current.current = chip;
    for (const other of chips()) other.tabIndex = other === chip ? 0 : -1;
  };
  // Chips may be added, removed or selected between renders. Tab moves to the last focused chip, or to the
  // first selected one.
  useLayoutEffect(() => {
    const all = chips();
    const pressed = all.find((chip) => chip.getAttribute('aria-pressed') === 'true');
    enter(all.find((chip) => chip === current.current) ?? pressed ?? all[0] ?? null);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const all = chips();
    const at = (all as EventTarget[]).indexOf(event.target);
    const to = at < 0 ? null : targetOf(event.key, at, all.length);
    if (to === null) return;
    event.preventDefault();
    all[to]?.focus();
  };
  const onFocus = (event: FocusEvent): void => {
    const chip = chips().find((one) => one === event.target);
    if (chip) enter(chip);
  };
  return (
    <fieldset ref={group} className={styles.group} onKeyDown={onKeyDown} onFocus={onFocus}>
      <legend className="visually-hidden">{label}</legend>
      {children}
    </fieldset>
  );
}

/** Returns the index of the chip that a key moves to; null for other keys. Wraps around at both ends. */
function targetOf(key: string, at: number, count: number): number | null {
  if (key === 'ArrowRight' || key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowLeft' || key === 'ArrowUp') return (at - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}
