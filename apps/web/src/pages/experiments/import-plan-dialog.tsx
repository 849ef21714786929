import { Button, Checkbox, Progress } from '@mantine/core';
import type { BundleImport } from '@mqttlab/shared/messages/http';
import { IconAlertCircle, IconFileImport } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { call } from '../../api/client.ts';
import { problemOf, showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { ChooseFile } from '../../ui/input/buttons.tsx';
import { DocumentField } from '../../ui/input/document-field.tsx';
import styles from './import-plan-dialog.module.css';

type ImportPlanDialogProps = {
  opened: boolean;
  onClose: () => void;
  /** Initial text, if any. */
  given?: string;
  /** Explains the result of the import: "A plan becomes a new draft." */
  hint: string;
  /** Called with the text of the file. Thrown errors are shown with all issues. */
  onImport: (text: string) => Promise<void>;
  /** Called with a research bundle and the key for its progress. If absent, only plans are accepted. */
  onBundle?: (bundle: { file: File; key: string; altered: 'refuse' | 'accept' }) => Promise<void>;
  /** Texts for a document other than a plan. */
  words?: { title: string; label: string; placeholder: string };
};

const planWords = {
  label: 'Plan, YAML or JSON',
  placeholder:
    'factors:\n  security: [plain, tls1.3]\n  cipherSuite: aes-256-gcm\n  qos: [0, 1]\nworkload: { kind: stream, measure: 10s }',
};
const planFiles = '.yaml,.yml,.json,application/json';

/** Imports a plan file that is chosen, dropped or pasted. */
export function ImportPlanDialog({ opened, onClose, ...form }: ImportPlanDialogProps): ReactElement {
  return (
    <Dialog
      title={form.words?.title ?? (form.onBundle ? 'Import a plan or a bundle' : 'Import a plan')}
      size={640}
      opened={opened}
      onClose={onClose}
    >
      <ImportPlanForm {...form} onClose={onClose} />
    </Dialog>
  );
}

function ImportPlanForm(props: Omit<ImportPlanDialogProps, 'opened'>): ReactElement {
  const { hint, onImport, onBundle, onClose, given = '', words = planWords } = props;
  const [text, setText] = useState(given);
  const [acceptsAltered, setAcceptsAltered] = useState(false);
  const [bundleKey, setBundleKey] = useState<string | null>(null);
  const work = useMutation({ mutationFn: (send: () => Promise<void>) => send(), onSuccess: onClose });

  const take = async (file: File | null | undefined) => {
    if (!file) return;
    work.reset();
    if (onBundle && /\.zip$/i.test(file.name)) {
      const key = `page-${Date.now()}-${Math.random().toString(36).slice(2)}`;
      setBundleKey(key);
      work.mutate(() => onBundle({ file, key, altered: acceptsAltered ? 'accept' : 'refuse' }), {
        onSettled: () => setBundleKey(null),
      });
    } else setText(await file.text());
  };

  return (
    <DialogForm
      onSubmit={() => work.mutate(() => onImport(text))}
      buttons={
        <>
          <ChooseFile
            accept={onBundle ? `${planFiles},.zip` : planFiles}
            onChoose={(file) => void take(file)}
          />
          <ActionButton
            type="submit"
            variant="filled"
            icon={IconFileImport}
            disabled={text.trim() === ''}
            loading={work.isPending}
          >
            Import
          </ActionButton>
        </>
      }
    >
      <DocumentField
        label={words.label}
        hint={`Choose or drop a file, or paste its text. ${hint}`}
        placeholder={words.placeholder}
        value={text}
        onChange={setText}
        onFile={(file) => void take(file)}
      />
      {onBundle && (
        <Checkbox
          label="Import even if figures differ from the recorded evidence, and mark the experiment as altered"
          checked={acceptsAltered}
          onChange={(event) => setAcceptsAltered(event.currentTarget.checked)}
        />
      )}
      {bundleKey !== null && <BundleProgress bundleKey={bundleKey} />}
      {work.error !== null && <ImportProblem error={work.error} />}
    </DialogForm>
  );
}

/** Maximum number of issues shown. Fixing the first issues often fixes the others. */
const maxShown = 6;

/** Lists why a plan was rejected, by field. */
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
              <code className="mono">{issue.field || 'file'}</code> {issue.reason}
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
  receiving: 'Uploading the bundle',
  waiting: 'Waiting for another import',
  checking: 'Checking files and signature',
  storing: 'Storing runs',
};
const askEveryMs = 500;

/** Progress of a bundle import, with a cancel button. */
function BundleProgress({ bundleKey }: { bundleKey: string }): ReactElement {
  const { data } = useApi('GET /imports', {}, { refetchInterval: askEveryMs, version: bundleKey });
  const found = data?.items.find(({ key }) => key === bundleKey);
  const percent = found?.all ? Math.min(100, (100 * found.done) / found.all) : 0;
  const state = words[found?.state ?? 'receiving'];
  const cancel = () =>
    void call('DELETE /imports/{key}', { params: { key: bundleKey } }).catch((error: unknown) =>
      showProblem('The import was not cancelled', error),
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
