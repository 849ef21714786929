import { Button, TagsInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import { Field } from '../../ui/input/field.tsx';
import styles from './notes-panel.module.css';

type TagsFormProps = {
  tags: readonly string[];
  isPending: boolean;
  onSave: (tags: string[]) => void;
  onCancel: () => void;
};

/** As many, and as long, as an experiment may carry. */
const maxTags = 20;
const maxLetters = 40;

export function TagsForm({ tags, isPending, onSave, onCancel }: TagsFormProps): ReactElement {
  const [edited, setEdited] = useState([...tags]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(edited);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Field label="Tags" hint="Enter ends a tag">
        {(control) => (
          <TagsInput
            {...control}
            data-autofocus
            value={edited}
            maxTags={maxTags}
            acceptValueOnBlur
            onChange={(next) => setEdited(next.map((tag) => tag.slice(0, maxLetters)))}
          />
        )}
      </Field>
      <div className={styles.buttons}>
        <Button type="submit" size="xs" loading={isPending}>
          Save
        </Button>
        <Button variant="default" size="xs" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
