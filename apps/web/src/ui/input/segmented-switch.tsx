import { formatCount } from '@mqttlab/shared/format/number';
import { type ReactElement, type ReactNode, useId } from 'react';
import styles from './segmented-switch.module.css';

type SegmentOption<Value extends string> = { value: Value; label: ReactNode; count?: number };

type SegmentedSwitchProps<Value extends string> = {
  /** Accessible name: "Device". */
  label: string;
  value: Value;
  options: readonly SegmentOption<Value>[];
  onChange: (value: Value) => void;
  /** `sm` is 24 px high, for panel headers. */
  size?: 'sm' | 'md';
  /** Full width and 44 px high, for facets on phones. */
  fullWidth?: boolean;
};

/** A segmented control of native radio buttons, so arrow keys work. */
export function SegmentedSwitch<Value extends string>(props: SegmentedSwitchProps<Value>): ReactElement {
  const { label, value, options, onChange, size = 'md', fullWidth = false } = props;
  const name = useId();
  return (
    <fieldset className={styles.switch} data-size={size} data-full={fullWidth || undefined}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={styles.option}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
          {option.count !== undefined && <span className={styles.count}>{formatCount(option.count)}</span>}
        </label>
      ))}
    </fieldset>
  );
}
