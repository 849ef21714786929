import { Button, Modal, MultiSelect, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { saveStudySchema } from '@mqttlab/shared/messages/studies';
import type { ReactElement } from 'react';
import { useNavigate } from 'react-router';
import { FormError } from '../../api/api-error-state.tsx';
import { useApi } from '../../api/use-api.ts';
import { readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import { experimentCode } from '../../ui/format.ts';
import { Field } from '../../ui/input/field.tsx';
import styles from './save-study-dialog.module.css';

type SaveStudyDialogProps = {
  experiment: { id: number; name: string; question: string };
  onClose: () => void;
};

/** Maximum number of parts in a study, including this experiment. */
const maxParts = 8;
/** Number of offered experiments, newest first. */
const offered = 500;

/** Saves one or more experiments as a study that can be repeated and shared as a file. */
export function SaveStudyDialog(props: SaveStudyDialogProps): ReactElement {
  return (
    <Modal
      opened
      onClose={props.onClose}
      title="Save as a study"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <SaveForm {...props} />
    </Modal>
  );
}

function SaveForm({ experiment, onClose }: SaveStudyDialogProps): ReactElement {
  const listed = useApi('GET /experiments', { query: { limit: offered } }).data?.items ?? [];
  const choices = listed
    .filter(({ id }) => id !== experiment.id)
    .map(({ id, name }) => ({ value: String(id), label: `${experimentCode(id)} ${name}` }));
  const save = useCall('POST /studies', { changes: ['GET /studies'] });
  const navigate = useNavigate();
  const form = useApiForm({
    initial: {
      title: experiment.name.slice(0, 120),
      question: experiment.question,
      source: '',
      others: [] as string[],
    },
    call: save,
    read: ({ others, title, source, question }) =>
      readWith(saveStudySchema, {
        experimentIds: [experiment.id, ...others.map(Number)],
        title: title.trim(),
        question,
        source: source.trim(),
      }),
    args: (body) => ({ body }),
    onDone: (file) => {
      onClose();
      notifications.show({ message: `“${file.title}” is now in the gallery.` });
      void navigate('/studies');
    },
  });
  const field = (name: 'title' | 'question' | 'source' | 'others') => {
    const { error, ...input } = form.getInputProps(name);
    return { problem: error, input };
  };
  const [title, question, source, others] = [
    field('title'),
    field('question'),
    field('source'),
    field('others'),
  ];
  return (
    <form className={styles.form} onSubmit={form.submit}>
      <p className={styles.text}>
        Plan and results are saved in one file. A new run of the study shows these results next to its own.
      </p>
      <Field label="Title" problem={title.problem}>
        {(control) => <TextInput {...title.input} {...control} data-autofocus maxLength={120} />}
      </Field>
      <Field label="Question" problem={question.problem}>
        {(control) => <Textarea {...question.input} {...control} autosize minRows={2} maxLength={2000} />}
      </Field>
      {choices.length > 0 && (
        <Field
          label="Additional parts"
          hint={`${experimentCode(experiment.id)} is part a. The selected experiments follow in this order.`}
        >
          {(control) => (
            <MultiSelect
              {...others.input}
              {...control}
              searchable
              selectFirstOptionOnChange
              maxValues={maxParts - 1}
              nothingFoundMessage="No other experiment matches."
              data={choices}
              comboboxProps={{ withinPortal: true }}
            />
          )}
        </Field>
      )}
      <Field label="Source" hint="Names, place, year or an address. Shown on the study card.">
        {(control) => <TextInput {...source.input} {...control} maxLength={300} />}
      </Field>
      <FormError error={form.error} lost="The study was not saved." />
      <div className={styles.buttons}>
        <Button type="submit" disabled={form.values.title.trim() === ''} loading={form.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
