import { Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { Field } from './field.tsx';

type ChoiceProps<Value extends string> = {
  label: string;
  value?: Value;
  words: Readonly<Record<Value, string>>;
  onChange?: (value: Value) => void;
};

/** Selects one of a few labelled values. */
export function Choice<Value extends string>(props: ChoiceProps<Value>): ReactElement {
  const { label, value, words, onChange } = props;
  return (
    <Field label={label}>
      {({ error: _, ...control }) => (
        <Select
          {...control}
          value={value ?? null}
          data={Object.entries<string>(words).map(([each, text]) => ({ value: each, label: text }))}
          onChange={(chosen) => onChange?.(chosen as Value)}
        />
      )}
    </Field>
  );
}
