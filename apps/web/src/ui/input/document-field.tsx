import { Textarea } from '@mantine/core';
import type { ReactElement } from 'react';
import styles from './document-field.module.css';
import { Field, type FieldProps } from './field.tsx';

type DocumentFieldProps = Pick<FieldProps, 'label' | 'hint'> & {
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
  /** Called with a dropped file. */
  onFile: (file: File | null | undefined) => void;
};

/** A field for the text of a file, which can also be dropped on the field. */
export function DocumentField(props: DocumentFieldProps): ReactElement {
  const { label, hint, placeholder, value, onChange, onFile } = props;
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Textarea
          {...control}
          data-autofocus
          classNames={{ input: styles.text ?? '' }}
          rows={12}
          spellCheck={false}
          placeholder={placeholder}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            event.preventDefault();
            onFile(event.dataTransfer.files[0]);
          }}
        />
      )}
    </Field>
  );
}
