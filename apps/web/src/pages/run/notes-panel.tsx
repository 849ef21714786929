import { Button, Textarea, TextInput } from '@mantine/core';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { type FormEvent, type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { usePatchRun } from '../../api/mutations.ts';
import { TagList } from '../../ui/facts.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { Field } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { StatusLine } from '../../ui/status.tsx';
import styles from './notes-panel.module.css';
import { TagsForm } from './tags-form.tsx';

type NotesPanelProps = { run: RunDetail; readOnly: boolean };

/** What people say about a run, and whether it counts; the data stay as they are. */
export function NotesPanel({ run, readOnly }: NotesPanelProps): ReactElement | null {
  const [edits, setEdits] = useState<'notes' | 'tags' | 'exclusion' | null>(null);
  const patch = usePatchRun();
  const { id, notes, tags, exclusion, status } = run;
  const change = (part: Parameters<typeof patch.mutate>[0]['change']) =>
    patch.mutate({ id, change: part }, { onSuccess: () => setEdits(null) });
  const isSilent = notes === '' && tags.length === 0 && exclusion === null;
  if (readOnly && isSilent) return null;
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
            Take in again
          </Button>
        ))}
    </>
  );
  return (
    <Panel title="Notes and tags" actions={actions} padded>
      <div className={styles.body}>
        {exclusion && (
          <StatusLine kind="flagged">
            Left out of analysis since {formatDateTime(exclusion.at)}: {exclusion.reason}
          </StatusLine>
        )}
        {edits === 'tags' ? (
          <TagsForm
            tags={tags}
            isPending={patch.isPending}
            onSave={(next) => change({ tags: next })}
            onCancel={() => setEdits(null)}
          />
        ) : (
          tags.length > 0 && <TagList tags={tags} />
        )}
        {edits === 'notes' ? (
          <WordsForm
            label="Note"
            value={notes}
            save="Save"
            isPending={patch.isPending}
            onSave={(text) => change({ notes: text })}
            onCancel={() => setEdits(null)}
          />
        ) : (
          notes !== '' && <p className={styles.notes}>{notes}</p>
        )}
        {edits === 'exclusion' && (
          <WordsForm
            label="Reason"
            hint="It stands beside the run and in every report. The run can be taken in again at any time."
            value=""
            save="Leave out"
            isRequired
            isPending={patch.isPending}
            onSave={(reason) => change({ exclusion: { reason } })}
            onCancel={() => setEdits(null)}
          />
        )}
        {isSilent && edits === null && <p className="dim">Nobody has written anything about this run.</p>}
        {patch.error && <ApiErrorState error={patch.error} lost="Nothing was changed." />}
      </div>
    </Panel>
  );
}

type WordsFormProps = {
  label: string;
  hint?: string;
  value: string;
  save: string;
  isRequired?: boolean;
  isPending: boolean;
  onSave: (text: string) => void;
  onCancel: () => void;
};

function WordsForm(props: WordsFormProps): ReactElement {
  const { label, hint, save, isRequired = false, isPending, onSave, onCancel } = props;
  const [text, setText] = useState(props.value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(text.trim());
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Field label={label} hint={hint}>
        {(control) =>
          isRequired ? (
            <TextInput
              {...control}
              data-autofocus
              maxLength={500}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          ) : (
            <Textarea
              {...control}
              data-autofocus
              rows={3}
              maxLength={20_000}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )
        }
      </Field>
      <div className={styles.buttons}>
        <Button type="submit" size="xs" loading={isPending} disabled={isRequired && text.trim() === ''}>
          {save}
        </Button>
        <Button variant="default" size="xs" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
