import { Menu } from '@mantine/core';
import { IconCheck, IconChevronDown } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import styles from './pick-menu.module.css';

export type PickOption<Value extends string> = { value: Value; label: string; note?: string };

export type PickMenuProps<Value extends string> = {
  /** Dimmed before the value: "Baseline". */
  label: string;
  value: Value;
  options: readonly PickOption<Value>[];
  onChange: (value: Value) => void;
};

/** A choice that reads as a sentence part: "Baseline Plain, same link". */
export function PickMenu<Value extends string>(props: PickMenuProps<Value>): ReactElement {
  const { label, value, options, onChange } = props;
  const current = options.find((option) => option.value === value)?.label ?? value;
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className={styles.pick}>
          <span className={styles.label}>{label}</span>
          <span className={styles.value}>{current}</span>
          <IconChevronDown size={14} stroke={2.2} aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown className={styles.dropdown ?? ''}>
        {options.map((option) => (
          <Menu.Item
            key={option.value}
            role="menuitemradio"
            aria-checked={option.value === value}
            onClick={() => onChange(option.value)}
            rightSection={option.value === value ? <IconCheck size={14} stroke={2.2} aria-hidden /> : null}
          >
            {option.label}
            {option.note && <span className={styles.note}>{option.note}</span>}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
