import { Button, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ExperimentSummary } from '@mqttlab/shared/domain/runs/experiment';
import { type FormEvent, type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { answersExperiment, useCall } from '../../api/use-api.ts';
import { Field } from '../../ui/input/field.tsx';
import styles from './experiments.module.css';

type LabelsEditorProps = {
  experiment: Pick<ExperimentSummary, 'id' | 'name' | 'tags' | 'notes'>;
  knownTags: readonly string[];
  onClose: () => void;
};

/** As many as a draft may carry. */
const maxTags = 20;

/** Name, tags and notes can be changed at any time; the plan cannot. */
export function LabelsEditor({ experiment, knownTags, onClose }: LabelsEditorProps): ReactElement {
  const [name, setName] = useState(experiment.name);
  const [tags, setTags] = useState(experiment.tags);
  const [notes, setNotes] = useState(experiment.notes);
  const patch = useCall('PATCH /experiments/{id}', answersExperiment);
  const save = (event: FormEvent) => {
    event.preventDefault();
    const body = { tags, notes, ...(name.trim() === '' ? {} : { name: name.trim() }) };
    patch.mutate({ params: { id: experiment.id }, body }, { onSuccess: onClose });
  };
  return (
    <form className={styles.form} onSubmit={save}>
      <Field label="Name">
        {(control) => (
          <TextInput
            {...control}
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Tags" hint="Enter ends a tag">
        {(control) => (
          <TagsInput
            {...control}
            data-autofocus
            data={[...knownTags]}
            value={tags}
            maxTags={maxTags}
            onChange={(next) => setTags(next.map((tag) => tag.slice(0, 40)))}
            comboboxProps={{ withinPortal: false }}
            withScrollArea={false}
            openOnFocus={false}
            classNames={{ inputField: styles.tagField ?? '', dropdown: styles.known ?? '' }}
          />
        )}
      </Field>
      <Field label="Notes">
        {(control) => (
          <Textarea
            {...control}
            autosize
            minRows={3}
            maxRows={8}
            maxLength={20_000}
            value={notes}
            onChange={(event) => setNotes(event.currentTarget.value)}
          />
        )}
      </Field>
      {patch.error && <ApiErrorState error={patch.error} lost="Your changes are still here." />}
      <div className={styles.buttons}>
        <Button variant="subtle" color="gray" size="xs" onClick={onClose}>
          Cancel
        </Button>
        <Button variant="default" size="xs" type="submit" loading={patch.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
