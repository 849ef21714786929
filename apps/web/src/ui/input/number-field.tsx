import { NumberInput } from '@mantine/core';
import { largestMeasure } from '@mqttlab/shared/domain/bounds';
import { type ReactElement, useState } from 'react';
import { Field, type FieldProblem } from './field.tsx';

type NumberFieldProps = {
  label: string;
  unit?: string;
  hint?: string;
  /** Value in the unit of the draft. */
  value: number;
  /** Draft units per displayed unit: 1000 for ms displayed as s. */
  scale?: number;
  min: number;
  step?: number;
  problem?: FieldProblem | undefined;
  onChange: (value: number) => void;
};

/** A number in the draft. Invalid text stays in the field and is not stored in the draft. */
export function NumberField(props: NumberFieldProps): ReactElement {
  const { label, value, scale = 1, min, step = 1, onChange } = props;
  const shown = value / scale;
  const [text, setText] = useState<number | string>(shown);
  const typed = toDraft(text, scale);
  // Another field or tab may have changed the value.
  const [known, setKnown] = useState(value);
  if (!Object.is(known, value)) {
    setKnown(value);
    if (typed !== value) setText(shown);
  }
  const problem =
    typed === null
      ? {
          what: 'Not a valid number.',
          remedy: `Enter a valid number; until then ${shown}${props.unit ? ` ${props.unit}` : ''} is used.`,
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
            const changed = toDraft(next, scale);
            if (changed !== null) onChange(changed);
          }}
          onBlur={() => setText(shown)}
        />
      )}
    </Field>
  );
}

/**
 * Returns the number in the unit of the draft, rounded to six decimals: 0.1 + 0.2 s are 300 ms. Returns null
 * for an unusable number.
 */
function toDraft(text: number | string, scale: number): number | null {
  if (typeof text !== 'number') return null;
  const value = Math.round(text * scale * 1e6) / 1e6;
  return Number.isFinite(value) && Math.abs(value) <= largestMeasure ? value : null;
}
