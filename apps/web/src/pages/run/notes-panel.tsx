import { Button, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { type PatchRun, patchRunSchema } from '@mqttlab/shared/messages/http';
import { type ReactElement, useState } from 'react';
import { ApiErrorState, FormError } from '../../api/api-error-state.tsx';
import { comparisonEndpoints, keyOf, keysOfExperiment } from '../../api/client.ts';
import { atItsField, type PlaceOf, readWith, useApiForm } from '../../api/use-api-form.tsx';
import { type ApiCall, useCall } from '../../api/use-call.ts';
import { TagList } from '../../ui/facts.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { Field } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { StatusLine } from '../../ui/status.tsx';
import styles from './run.module.css';

type NotesPanelProps = { run: RunDetail; readOnly: boolean };

/** Notes, tags and manual exclusion of a run. The run's data is not changed. */
export function NotesPanel({ run, readOnly }: NotesPanelProps): ReactElement | null {
  const [edited, setEdited] = useState<Edited | null>(null);
  const include = usePatch();
  const { id, notes, tags, exclusion, status } = run;
  const isSilent = notes === '' && tags.length === 0 && exclusion === null;
  if (readOnly && isSilent) return null;
  const form = edited && <EditForm run={run} edited={edited} onClose={() => setEdited(null)} />;
  const actions = !readOnly && edited === null && (
    <>
      <Button variant="default" size="xs" onClick={() => setEdited('notes')}>
        {notes === '' ? 'Write a note' : 'Edit the note'}
      </Button>
      <Button variant="default" size="xs" onClick={() => setEdited('tags')}>
        {tags.length === 0 ? 'Add a tag' : 'Edit the tags'}
      </Button>
      {status === 'done' &&
        (exclusion === null ? (
          <Button variant="default" size="xs" onClick={() => setEdited('exclusion')}>
            Leave out of analysis
          </Button>
        ) : (
          <Button
            variant="default"
            size="xs"
            loading={include.isPending}
            onClick={() => include.mutate({ params: { id }, body: { exclusion: null } })}
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
            Excluded from the analysis since {formatDateTime(exclusion.at)}
            {exclusion.by && ` by ${exclusion.by}`}: {exclusion.reason}
          </StatusLine>
        )}
        {edited === 'tags' ? form : tags.length > 0 && <TagList tags={tags} />}
        {edited === 'notes' ? form : notes !== '' && <p className={styles.notes}>{notes}</p>}
        {edited === 'exclusion' && form}
        {isSilent && edited === null && <p className="dim">No notes on this run yet.</p>}
        {include.error && <ApiErrorState error={include.error} lost="Nothing was changed." />}
      </div>
    </Panel>
  );
}

function usePatch(): ApiCall<'PATCH /runs/{id}'> {
  return useCall('PATCH /runs/{id}', {
    changes: ({ experimentId }, args) => [
      keyOf('GET /runs/{id}', { params: args.params }),
      ...keysOfExperiment(experimentId),
      ...comparisonEndpoints,
    ],
  });
}

/** Limits for tags, as for an experiment. */
const maxTags = 20;
const maxLetters = 40;

type Edited = 'notes' | 'tags' | 'exclusion';

const texts: Readonly<Record<Edited, { label: string; hint?: string; save: string }>> = {
  notes: { label: 'Note', save: 'Save' },
  tags: { label: 'Tags', hint: 'Press Enter after each tag', save: 'Save' },
  exclusion: {
    label: 'Reason',
    hint: 'Shown with the run and in every report. The run can be included again at any time.',
    save: 'Leave out',
  },
};

type EditValues = { notes: string; tags: string[]; exclusion: string };

function bodyOf(edited: Edited, { notes, tags, exclusion }: EditValues): PatchRun {
  if (edited === 'notes') return { notes: notes.trim() };
  return edited === 'tags' ? { tags } : { exclusion: { reason: exclusion } };
}

/** A problem with a nested value is shown next to its parent field: "exclusion.reason" at "exclusion". */
const placeEdit: PlaceOf = (issue) => ({ ...atItsField(issue), field: issue.field.split(/[.[]/)[0] ?? '' });

type EditFormProps = { run: RunDetail; edited: Edited; onClose: () => void };

/** One field with buttons to save and cancel. */
function EditForm({ run: { id, notes, tags }, edited, onClose }: EditFormProps): ReactElement {
  const form = useApiForm({
    initial: { notes, tags: [...tags], exclusion: '' },
    call: usePatch(),
    read: (values) => readWith(patchRunSchema, bodyOf(edited, values), placeEdit),
    args: (body) => ({ params: { id }, body }),
    placeOf: placeEdit,
    onDone: onClose,
  });
  const { label, hint, save } = texts[edited];
  const { error: problem, ...input } = form.getInputProps(edited);
  return (
    <form className={styles.form} onSubmit={form.submit}>
      <Field label={label} hint={hint} problem={problem}>
        {(control) => {
          const props = { ...input, ...control, 'data-autofocus': true };
          if (edited === 'notes') return <Textarea {...props} rows={3} maxLength={20_000} />;
          if (edited === 'exclusion') return <TextInput {...props} maxLength={500} />;
          const setTags = (next: string[]) =>
            form.setFieldValue(
              'tags',
              next.map((tag) => tag.slice(0, maxLetters)),
            );
          return <TagsInput {...props} maxTags={maxTags} acceptValueOnBlur onChange={setTags} />;
        }}
      </Field>
      <FormError error={form.error} lost="Nothing was changed." />
      <div className={styles.buttons}>
        <Button
          type="submit"
          size="xs"
          loading={form.isPending}
          disabled={edited === 'exclusion' && form.values.exclusion.trim() === ''}
        >
          {save}
        </Button>
        <Button variant="default" size="xs" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
