import { NumberInput } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { Field, type FieldProblem } from './field.tsx';

type NumberFieldProps = {
  label: string;
  unit?: string;
  hint?: string;
  /** In the unit of the draft. */
  value: number;
  /** Units of the draft in one of those shown: 1000 for ms shown as s. */
  scale?: number;
  min: number;
  step?: number;
  problem?: FieldProblem | undefined;
  onChange: (value: number) => void;
};

/** A number of the draft. What is not a number yet stays in the field and does not reach the draft. */
export function NumberField(props: NumberFieldProps): ReactElement {
  const { label, value, scale = 1, min, step = 1, onChange } = props;
  const shown = value / scale;
  const [text, setText] = useState<number | string>(shown);
  const typed = typeof text === 'number' ? text : Number.NaN;
  const isBroken = !Number.isFinite(typed);
  // Another field or another tab may have changed the value meanwhile.
  if (!isBroken && Math.abs(typed * scale - value) > 1e-9) setText(shown);
  const problem = isBroken
    ? {
        what: 'Not a number.',
        remedy: `Until it is one, ${shown}${props.unit ? ` ${props.unit}` : ''} is kept.`,
      }
    : props.problem;
  return (
    <Field label={label} {...(props.unit ? { unit: props.unit } : {})} hint={props.hint} problem={problem}>
      {(control) => (
        <NumberInput
          {...control}
          value={text}
          step={step}
          min={min}
          clampBehavior="none"
          decimalScale={3}
          onChange={(next) => {
            setText(next);
            if (typeof next === 'number' && Number.isFinite(next)) onChange(roundTo(next * scale));
          }}
          onBlur={() => setText(shown)}
        />
      )}
    </Field>
  );
}

/** 0.1 + 0.2 in seconds is 300 ms, not 300.00000000000006. */
function roundTo(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
