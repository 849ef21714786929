import { Button, Checkbox, Modal, Progress, Textarea } from '@mantine/core';
import type { BundleImport } from '@mqttlab/shared/messages/http';
import { IconAlertCircle, IconFileImport } from '@tabler/icons-react';
import { type DragEvent, type ReactElement, useState } from 'react';
import { call } from '../../api/client.ts';
import { problemOf, showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { ChooseFile } from '../../ui/input/buttons.tsx';
import { Field } from '../../ui/input/field.tsx';
import styles from './import-plan-dialog.module.css';

type ImportPlanDialogProps = {
  opened: boolean;
  onClose: () => void;
  /** The text to begin with, where one was handed over. */
  given?: string;
  /** What becomes of the plan: "It becomes a new draft." */
  hint: string;
  /** Takes the text of the file; what it throws is shown with every issue. */
  onImport: (text: string) => Promise<void>;
  /** Takes a research bundle, under a key to ask after it by; without it only plans are taken. */
  onBundle?: (bundle: { file: File; key: string; altered: 'refuse' | 'accept' }) => Promise<void>;
  /** Another document than a plan. */
  words?: { title: string; label: string; placeholder: string };
};

const planWords = {
  label: 'Plan, YAML or JSON',
  placeholder:
    'factors:\n  security: [plain, tls1.3]\n  cipherSuite: aes-256-gcm\n  qos: [0, 1]\nworkload: { kind: stream, measure: 10s }',
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
  const { hint, onImport, onBundle, onClose, given = '', words = planWords } = props;
  const [text, setText] = useState(given);
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const [acceptsAltered, setAcceptsAltered] = useState(false);
  const [bundleKey, setBundleKey] = useState<string | null>(null);

  const take = async (file: File | null | undefined) => {
    if (!file) return;
    setError(null);
    if (onBundle && /\.zip$/i.test(file.name)) {
      const key = `page-${Date.now()}-${Math.random().toString(36).slice(2)}`;
      setBundleKey(key);
      await run(() => onBundle({ file, key, altered: acceptsAltered ? 'accept' : 'refuse' }));
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
      {onBundle && (
        <Checkbox
          label="Import a bundle also if its figures differ from its evidence, and mark it as altered"
          checked={acceptsAltered}
          onChange={(event) => setAcceptsAltered(event.currentTarget.checked)}
        />
      )}
      {bundleKey !== null && <BundleProgress bundleKey={bundleKey} />}
      {error !== null && <ImportProblem error={error} />}
      <div className={styles.buttons}>
        <ChooseFile
          accept={onBundle ? `${planFiles},.zip` : planFiles}
          onChoose={(file) => void take(file)}
        />
        <ActionButton
          variant="filled"
          icon={IconFileImport}
          disabled={text.trim() === ''}
          loading={isPending}
          onClick={() => void run(() => onImport(text))}
        >
          Import
        </ActionButton>
      </div>
    </div>
  );
}

/** Fixing the first ones often fixes the rest. */
const maxShown = 6;

/** Why a plan was not taken, field by field. */
export function ImportProblem({ error }: { error: unknown }): ReactElement {
  const { detail, remedy, issues } = problemOf(error);
  return (
    <div className={styles.problem} role="alert">
      <p className={styles.problemHead}>
        <IconAlertCircle size={16} stroke={2} aria-hidden />
        Not imported. {detail}
      </p>
      {issues.length === 0 ? (
        <p>{remedy}</p>
      ) : (
        <ul className={styles.issues}>
          {issues.slice(0, maxShown).map((issue) => (
            <li key={`${issue.field}:${issue.reason}`}>
              <code className="mono">{issue.field || 'the whole file'}</code> {issue.reason}
              {/[.?!]$/.test(issue.reason) ? '' : '.'} {issue.remedy}
            </li>
          ))}
          {issues.length > maxShown && <li>And {issues.length - maxShown} more.</li>}
        </ul>
      )}
    </div>
  );
}

const words: Readonly<Record<BundleImport['state'], string>> = {
  receiving: 'Sending the bundle',
  waiting: 'Waiting for another import',
  checking: 'Checking files and signature',
  storing: 'Storing runs',
};
const askEveryMs = 500;

/** How far the import of a bundle is, and the way to end it. */
function BundleProgress({ bundleKey }: { bundleKey: string }): ReactElement {
  const { data } = useApi('GET /imports', {}, { refetchInterval: askEveryMs, version: bundleKey });
  const found = data?.items.find(({ key }) => key === bundleKey);
  const percent = found?.all ? Math.min(100, (100 * found.done) / found.all) : 0;
  const state = words[found?.state ?? 'receiving'];
  const cancel = () =>
    void call('DELETE /imports/{key}', { params: { key: bundleKey } }).catch((error: unknown) =>
      showProblem('The import goes on', error),
    );
  return (
    <div className={styles.progress}>
      <span role="status">{state}</span>
      <Progress value={percent} aria-label={state} />
      <Button variant="default" onClick={cancel} disabled={!found}>
        Cancel import
      </Button>
    </div>
  );
}
