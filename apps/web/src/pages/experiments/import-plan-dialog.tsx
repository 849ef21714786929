import { Button, Modal, Textarea } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { type DragEvent, type ReactElement, useState } from 'react';
import { ChooseFile } from '../../ui/input/buttons.tsx';
import { Field } from '../../ui/input/field.tsx';
import { BundleProgress } from './bundle-progress.tsx';
import styles from './import-plan-dialog.module.css';
import { ImportProblem } from './import-problem.tsx';

export type ImportPlanDialogProps = {
  opened: boolean;
  onClose: () => void;
  /** What becomes of the plan: "It becomes a new draft." */
  hint: string;
  /** Takes the text of the file; what it throws is shown with every issue. */
  onImport: (text: string) => Promise<void>;
  /** Takes a research bundle, under a key to ask after it by; without it only plans are taken. */
  onBundle?: (bundle: { file: File; key: string }) => Promise<void>;
  /** Another document than a plan. */
  words?: { title: string; label: string; placeholder: string };
};

const planWords = {
  label: 'Plan, YAML or JSON',
  placeholder: 'schemaVersion: 1\nname: Cipher cost\nfactors:\n  security: [plain, TLS 1.3]',
};
const planFiles = '.yaml,.yml,.json,application/json';

/** A plan file, chosen, dropped or pasted. */
export function ImportPlanDialog({ opened, onClose, ...form }: ImportPlanDialogProps): ReactElement {
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={640}>
      <div className={styles.head}>
        <Modal.Title>
          {form.words?.title ?? (form.onBundle ? 'Import a plan or a bundle' : 'Import a plan')}
        </Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      {opened && <ImportPlanForm {...form} onClose={onClose} />}
    </Modal>
  );
}

function ImportPlanForm(props: Omit<ImportPlanDialogProps, 'opened'>): ReactElement {
  const { hint, onImport, onBundle, onClose, words = planWords } = props;
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const [bundleKey, setBundleKey] = useState<string | null>(null);

  const take = async (file: File | null | undefined) => {
    if (!file) return;
    setError(null);
    if (onBundle && /\.zip$/i.test(file.name)) {
      const key = `page-${Date.now()}-${Math.random().toString(36).slice(2)}`;
      setBundleKey(key);
      await run(() => onBundle({ file, key }));
      setBundleKey(null);
    } else setText(await file.text());
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void take(event.dataTransfer.files[0]);
  };
  const run = async (work: () => Promise<void>) => {
    setPending(true);
    try {
      await work();
      onClose();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setPending(false);
    }
  };

  return (
    <div className={styles.form}>
      <Field label={words.label} hint={`Choose or drop a file, or paste its text. ${hint}`}>
        {(control) => (
          <Textarea
            {...control}
            error={false}
            data-autofocus
            classNames={{ input: styles.text ?? '' }}
            rows={12}
            spellCheck={false}
            placeholder={words.placeholder}
            value={text}
            onDrop={drop}
            onDragOver={(event) => event.preventDefault()}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      {bundleKey !== null && <BundleProgress bundleKey={bundleKey} />}
      {error !== null && <ImportProblem error={error} />}
      <div className={styles.buttons}>
        <ChooseFile
          accept={onBundle ? `${planFiles},.zip` : planFiles}
          onChoose={(file) => void take(file)}
        />
        <Button
          leftSection={<IconFileImport size={16} stroke={2} aria-hidden />}
          disabled={text.trim() === ''}
          loading={isPending}
          onClick={() => void run(() => onImport(text))}
        >
          Import
        </Button>
      </div>
    </div>
  );
}
