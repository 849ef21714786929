import { Button, Modal, MultiSelect, Textarea, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useNavigate } from 'react-router';
import { useExperiments } from '../../api/queries.ts';
import { showProblem } from '../../api/show-problem.tsx';
import { useSaveStudy } from '../../api/study-calls.ts';
import { experimentCode } from '../../ui/format.ts';
import { Field } from '../../ui/input/field.tsx';
import styles from './save-study-dialog.module.css';

type SaveStudyDialogProps = {
  experiment: { id: number; name: string; question: string };
  opened: boolean;
  onClose: () => void;
};

/** Of one study, this experiment included. */
const maxParts = 8;
/** More than anybody looks through; the newest are on top. */
const offered = 500;

/** An experiment, alone or with others as further parts, becomes a study of one's own, to run again and to share as a file. */
export function SaveStudyDialog({ experiment, opened, onClose }: SaveStudyDialogProps): ReactElement {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Save as a study"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {opened && <SaveForm experiment={experiment} onClose={onClose} />}
    </Modal>
  );
}

function SaveForm({ experiment, onClose }: Omit<SaveStudyDialogProps, 'opened'>): ReactElement {
  const [title, setTitle] = useState(experiment.name.slice(0, 120));
  const [question, setQuestion] = useState(experiment.question);
  const [source, setSource] = useState('');
  const [others, setOthers] = useState<string[]>([]);
  const listed = useExperiments({ limit: offered }).data?.items ?? [];
  const choices = listed
    .filter(({ id }) => id !== experiment.id)
    .map(({ id, name }) => ({ value: String(id), label: `${experimentCode(id)} ${name}` }));
  const save = useSaveStudy();
  const navigate = useNavigate();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(
      {
        experimentIds: [experiment.id, ...others.map(Number)],
        title: title.trim(),
        question,
        source: source.trim(),
      },
      {
        onSuccess: (file) => {
          onClose();
          notifications.show({ message: `“${file.title}” is now in the gallery.` });
          void navigate('/studies');
        },
        onError: (error) => showProblem('It was not saved', error),
      },
    );
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.text}>
        Plan and results go into one file. Whoever runs it sees these results beside their own.
      </p>
      <Field label="Title">
        {(control) => (
          <TextInput
            {...control}
            error={false}
            data-autofocus
            maxLength={120}
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Question">
        {(control) => (
          <Textarea
            {...control}
            error={false}
            autosize
            minRows={2}
            maxLength={2000}
            value={question}
            onChange={(event) => setQuestion(event.currentTarget.value)}
          />
        )}
      </Field>
      {choices.length > 0 && (
        <Field
          label="Further parts"
          hint={`${experimentCode(experiment.id)} is part a; the experiments chosen here follow in this order.`}
        >
          {(control) => (
            <MultiSelect
              {...control}
              error={false}
              searchable
              selectFirstOptionOnChange
              maxValues={maxParts - 1}
              nothingFoundMessage="No other experiment matches."
              value={others}
              onChange={setOthers}
              data={choices}
              comboboxProps={{ withinPortal: true }}
            />
          )}
        </Field>
      )}
      <Field label="Who made it" hint="Names, place, year or an address; it is shown on the card.">
        {(control) => (
          <TextInput
            {...control}
            error={false}
            maxLength={300}
            value={source}
            onChange={(event) => setSource(event.currentTarget.value)}
          />
        )}
      </Field>
      <div className={styles.buttons}>
        <Button type="submit" disabled={title.trim() === ''} loading={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
