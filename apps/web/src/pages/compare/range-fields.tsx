import { Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import type { BrushRange } from '../../charts/canvas/brush.ts';
import styles from './compare.module.css';
import { parseRange, writeRange } from './compare-state.ts';

type RangeFieldsProps = {
  /** Name of the quantity: "Time", "Latency, median". */
  name: string;
  unit: string;
  range: BrushRange | null;
  onDone(range: BrushRange | null): void;
};

/** Keyboard alternative to dragging across a chart. */
export function RangeFields(props: RangeFieldsProps): ReactElement {
  // A range that is set elsewhere replaces the fields. Otherwise text that is being typed is kept.
  return <Fields key={writeRange(props.range)} {...props} />;
}

function Fields({ name, unit, range, onDone }: RangeFieldsProps): ReactElement {
  const [from = '', to = ''] = writeRange(range).split(':');
  const [typed, setTyped] = useState({ from, to });
  const next = parseRange(`${typed.from}:${typed.to}`);
  const choose = (event: FormEvent) => {
    event.preventDefault();
    if (next) onDone(next);
  };
  const isWrong = typed.from !== '' && typed.to !== '' && next === null;
  return (
    <form className={styles.range} onSubmit={choose}>
      <span>{name} from</span>
      <TextInput
        aria-label={`${name} from, ${unit}`}
        inputMode="decimal"
        value={typed.from}
        error={isWrong}
        onChange={(event) => setTyped({ ...typed, from: event.currentTarget.value })}
      />
      <span>to</span>
      <TextInput
        aria-label={`${name} to, ${unit}`}
        inputMode="decimal"
        value={typed.to}
        error={isWrong}
        onChange={(event) => setTyped({ ...typed, to: event.currentTarget.value })}
      />
      <span>{unit}</span>
      <Button type="submit" size="compact-sm" variant="default" disabled={!next}>
        Choose
      </Button>
      {range && (
        <Button size="compact-sm" variant="subtle" onClick={() => onDone(null)}>
          Clear
        </Button>
      )}
      {isWrong && <span role="alert">Enter two numbers, the smaller one first.</span>}
    </form>
  );
}
