import { Button, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { patchExperimentSchema } from '@mqttlab/shared/messages/http';
import { type ReactElement, useEffect, useRef } from 'react';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { readWith, useApiForm } from '../../api/use-api-form.tsx';
import { answersExperiment, useCall } from '../../api/use-call.ts';
import { Field } from '../../ui/input/field.tsx';
import styles from './experiments.module.css';

type LabelsEditorProps = {
  experiment: Pick<ExperimentSummary, 'id' | 'name' | 'tags' | 'notes'>;
  knownTags: readonly string[];
  onClose: () => void;
};

/** Maximum number of tags of a draft. */
const maxTags = 20;

/** Edits name, tags and notes, which can change at any time, unlike the plan. */
export function LabelsEditor({ experiment, knownTags, onClose }: LabelsEditorProps): ReactElement {
  const { id, name, tags, notes } = experiment;
  const form = useApiForm({
    initial: { name, tags, notes },
    call: useCall('PATCH /experiments/{id}', answersExperiment),
    read: ({ name: typed, ...rest }) =>
      readWith(patchExperimentSchema, { ...rest, ...(typed.trim() === '' ? {} : { name: typed.trim() }) }),
    args: (body) => ({ params: { id }, body }),
    onDone: onClose,
  });
  const { error: nameProblem, ...nameInput } = form.getInputProps('name');
  const { error: tagsProblem, ...tagsInput } = form.getInputProps('tags');
  const { error: notesProblem, ...notesInput } = form.getInputProps('notes');
  // The popover or dialog opens before this code is loaded, so it cannot focus the field.
  const tagsField = useRef<HTMLInputElement>(null);
  useEffect(() => tagsField.current?.focus(), []);
  return (
    <form className={styles.form} onSubmit={form.submit}>
      <Field label="Name" problem={nameProblem}>
        {(control) => <TextInput {...nameInput} {...control} maxLength={200} />}
      </Field>
      <Field label="Tags" hint="Press Enter after each tag" problem={tagsProblem}>
        {(control) => (
          <TagsInput
            {...tagsInput}
            {...control}
            ref={tagsField}
            data={[...knownTags]}
            maxTags={maxTags}
            onChange={(next) =>
              form.setFieldValue(
                'tags',
                next.map((tag) => tag.slice(0, 40)),
              )
            }
            comboboxProps={{ withinPortal: false }}
            withScrollArea={false}
            openOnFocus={false}
            classNames={{ inputField: styles.tagField ?? '', dropdown: styles.known ?? '' }}
          />
        )}
      </Field>
      <Field label="Notes" problem={notesProblem}>
        {(control) => (
          <Textarea {...notesInput} {...control} autosize minRows={3} maxRows={8} maxLength={20_000} />
        )}
      </Field>
      {form.error && <ApiErrorState error={form.error} lost="Your changes are still here." />}
      <div className={styles.buttons}>
        <Button variant="subtle" color="gray" size="xs" onClick={onClose}>
          Cancel
        </Button>
        <Button variant="default" size="xs" type="submit" loading={form.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
