import { Button, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import type { PatchRun } from '@mqttlab/shared/messages/http';
import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { comparisonEndpoints, keyOf, keysOfExperiment } from '../../api/client.ts';
import { useCall } from '../../api/use-call.ts';
import { TagList } from '../../ui/facts.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { Field, type FieldControl } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { StatusLine } from '../../ui/status.tsx';
import styles from './run.module.css';

type NotesPanelProps = { run: RunDetail; readOnly: boolean };

/** Notes, tags and manual exclusion of a run. The data are not changed. */
export function NotesPanel({ run, readOnly }: NotesPanelProps): ReactElement | null {
  const [edits, setEdits] = useState<'notes' | 'tags' | 'exclusion' | null>(null);
  const patch = useCall('PATCH /runs/{id}', {
    changes: ({ experimentId }, args) => [
      keyOf('GET /runs/{id}', { params: args.params }),
      ...keysOfExperiment(experimentId),
      ...comparisonEndpoints,
    ],
  });
  const { id, notes, tags, exclusion, status } = run;
  const change = (body: PatchRun) =>
    patch.mutate({ params: { id }, body }, { onSuccess: () => setEdits(null) });
  const isSilent = notes === '' && tags.length === 0 && exclusion === null;
  if (readOnly && isSilent) return null;
  const form = { isPending: patch.isPending, onCancel: () => setEdits(null) };
  const actions = !readOnly && edits === null && (
    <>
      <Button variant="default" size="xs" onClick={() => setEdits('notes')}>
        {notes === '' ? 'Write a note' : 'Edit the note'}
      </Button>
      <Button variant="default" size="xs" onClick={() => setEdits('tags')}>
        {tags.length === 0 ? 'Add a tag' : 'Edit the tags'}
      </Button>
      {status === 'done' &&
        (exclusion === null ? (
          <Button variant="default" size="xs" onClick={() => setEdits('exclusion')}>
            Leave out of analysis
          </Button>
        ) : (
          <Button
            variant="default"
            size="xs"
            loading={patch.isPending}
            onClick={() => change({ exclusion: null })}
          >
            Include again
          </Button>
        ))}
    </>
  );
  return (
    <Panel title="Notes and tags" actions={actions} padded>
      <div className={styles.body}>
        {exclusion && (
          <StatusLine kind="flagged">
            Left out of analysis since {formatDateTime(exclusion.at)}
            {exclusion.by && ` by ${exclusion.by}`}: {exclusion.reason}
          </StatusLine>
        )}
        {edits === 'tags' ? (
          <EditForm<readonly string[]>
            {...form}
            label="Tags"
            hint="Press Enter after each tag"
            initial={tags}
            onSave={(next) => change({ tags: [...next] })}
          >
            {(props, value, onChange) => (
              <TagsInput
                {...props}
                value={[...value]}
                maxTags={maxTags}
                acceptValueOnBlur
                onChange={(next) => onChange(next.map((tag) => tag.slice(0, maxLetters)))}
              />
            )}
          </EditForm>
        ) : (
          tags.length > 0 && <TagList tags={tags} />
        )}
        {edits === 'notes' ? (
          <EditForm {...form} label="Note" initial={notes} onSave={(text) => change({ notes: text.trim() })}>
            {(props, value, onChange) => (
              <Textarea
                {...props}
                rows={3}
                maxLength={20_000}
                value={value}
                onChange={(event) => onChange(event.currentTarget.value)}
              />
            )}
          </EditForm>
        ) : (
          notes !== '' && <p className={styles.notes}>{notes}</p>
        )}
        {edits === 'exclusion' && (
          <EditForm
            {...form}
            label="Reason"
            hint="Shown with the run and in every report. The run can be included again at any time."
            initial=""
            save="Leave out"
            isReady={(reason) => reason.trim() !== ''}
            onSave={(reason) => change({ exclusion: { reason: reason.trim() } })}
          >
            {(props, value, onChange) => (
              <TextInput
                {...props}
                maxLength={500}
                value={value}
                onChange={(event) => onChange(event.currentTarget.value)}
              />
            )}
          </EditForm>
        )}
        {isSilent && edits === null && <p className="dim">No notes on this run yet.</p>}
        {patch.error && <ApiErrorState error={patch.error} lost="Nothing was changed." />}
      </div>
    </Panel>
  );
}

/** Limits of tags, as for an experiment. */
const maxTags = 20;
const maxLetters = 40;

type EditFormProps<T> = {
  label: string;
  hint?: string;
  initial: T;
  /** Label of the save button. */
  save?: string;
  /** True if the value can be saved. */
  isReady?: (value: T) => boolean;
  isPending: boolean;
  onSave: (value: T) => void;
  onCancel: () => void;
  children: (
    props: FieldControl & { 'data-autofocus': true },
    value: T,
    onChange: (value: T) => void,
  ) => ReactNode;
};

/** A field with buttons to save and cancel. */
function EditForm<T>(props: EditFormProps<T>): ReactElement {
  const { label, hint, initial, save = 'Save', isReady, isPending, onSave, onCancel, children } = props;
  const [value, setValue] = useState(initial);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(value);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Field label={label} hint={hint}>
        {(control) => children({ ...control, 'data-autofocus': true }, value, (next) => setValue(() => next))}
      </Field>
      <div className={styles.buttons}>
        <Button type="submit" size="xs" loading={isPending} disabled={isReady?.(value) === false}>
          {save}
        </Button>
        <Button variant="default" size="xs" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
