import { Button, Textarea } from '@mantine/core';
import { plural } from '@mqttlab/shared/format/number';
import { addSignerSchema, type Signer, type UnknownSigner } from '@mqttlab/shared/messages/signers';
import { IconCheck, IconTrash } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { Link } from 'react-router';
import { FormError } from '../../api/api-error-state.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { atItsField, type PlaceOf, readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { experimentCode, formatDateTime } from '../../ui/format.ts';
import { ActionButton } from '../../ui/input/action-button.tsx';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Field, TextFields, type TextSpec } from '../../ui/input/field.tsx';
import { StatusLine } from '../../ui/status.tsx';
import { useIsPhone } from '../../ui/theme.ts';
import { showUndoToast } from '../../ui/undo-toast.tsx';
import { ListPanel } from './list-panel.tsx';
import styles from './settings-page.module.css';

/** A trusted signer, or an unknown signer of imported bundles. */
type SignerRow = Signer | UnknownSigner;

const isTrusted = (row: SignerRow): row is Signer => 'name' in row;

/** Parses the pasted text: a public key in PEM, or its fingerprint. */
export const keyOrFingerprint = (text: string): { key: string } | { fingerprint: string } =>
  text.trim().startsWith('SHA256:') ? { fingerprint: text.trim() } : { key: text.trim() };

/** Trusted keys and the names of their owners. */
export function SignersPanel(): ReactElement {
  return (
    <ListPanel
      title="Trusted signers"
      subtitle="imported bundles signed with these keys show the signer’s name"
      query={useApi('GET /signers', {}, { select: ({ items, unknown }) => [...items, ...unknown] })}
      columns={columnsAt(useIsPhone())}
      rowKey={({ fingerprint }) => fingerprint}
      empty="No signers yet. Add the public key of a colleague, or import a bundle and trust its signer here."
      add={{
        label: 'Add a signer',
        dialog: (state) => (
          <Dialog title="Trust a signer" size={560} {...state}>
            <TrustForm onDone={state.onClose} />
          </Dialog>
        ),
      }}
    />
  );
}

function columnsAt(isPhone: boolean): Column<SignerRow>[] {
  if (isPhone) {
    return [
      {
        id: 'signer',
        head: 'Signer',
        cell: (row) => (
          <span className={styles.beside}>
            <span className={styles.two}>
              <Name row={row} />
              <About row={row} />
            </span>
            <Actions row={row} />
          </span>
        ),
      },
    ];
  }
  return [
    { id: 'signer', head: 'Signer', width: '44%', cell: (row) => <Name row={row} /> },
    { id: 'about', head: 'Known from', cell: (row) => <About row={row} /> },
    { id: 'actions', head: 'Trust', width: '216px', cell: (row) => <Actions row={row} /> },
  ];
}

function Name({ row }: { row: SignerRow }): ReactElement {
  return (
    <span className={styles.two}>
      {isTrusted(row) ? row.name : <StatusLine kind="warning">Unknown signer</StatusLine>}
      <span className="second mono">{row.fingerprint}</span>
    </span>
  );
}

function About({ row }: { row: SignerRow }): ReactElement {
  if (isTrusted(row)) return <span className="second">trusted since {formatDateTime(row.createdAt)}</span>;
  const { experiments, lastExperiment } = row;
  return (
    <span className="second">
      {plural(experiments, 'imported experiment')}, last{' '}
      <Link className="link" to={`/experiments/${lastExperiment.id}`} title={lastExperiment.name}>
        {experimentCode(lastExperiment.id)}
      </Link>
    </span>
  );
}

function Actions({ row }: { row: SignerRow }): ReactElement {
  return (
    <span className={styles.actions}>
      {isTrusted(row) ? <Remove signer={row} /> : <Trust signer={row} />}
    </span>
  );
}

function Remove({ signer: { id, name, fingerprint } }: { signer: Signer }): ReactElement {
  const remove = useCall('DELETE /signers/{id}', { changes: ['GET /signers'] });
  const restore = useCall('POST /signers', { changes: ['GET /signers'] });
  const forget = () =>
    remove.mutate(
      { params: { id } },
      {
        onSuccess: () =>
          showUndoToast({
            message: `${name} is no longer trusted`,
            onUndo: () =>
              restore.mutate(
                { body: { name, fingerprint } },
                { onError: (error) => showProblem('The signer was not restored', error) },
              ),
          }),
        onError: (error) => showProblem('The signer was not removed', error),
      },
    );
  return <IconButton icon={IconTrash} label={`Remove ${name}`} loading={remove.isPending} onClick={forget} />;
}

function Trust({ signer: { fingerprint } }: { signer: UnknownSigner }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionButton small icon={IconCheck} onClick={() => setOpen(true)}>
        Trust
      </ActionButton>
      <Dialog title="Trust a signer" size={560} opened={isOpen} onClose={() => setOpen(false)}>
        <TrustForm fingerprint={fingerprint} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

const nameField: TextSpec<'name'> = {
  name: 'name',
  label: 'Name',
  hint: 'Shown with bundles signed by this key.',
  placeholder: 'Laboratory of Ada Lovelace',
};

/** Key and fingerprint share one form field. */
const placeKey: PlaceOf = (issue) => ({
  ...atItsField(issue),
  field: issue.field === 'name' ? 'name' : 'pasted',
});

/** `fingerprint` is that of an imported bundle's signer; absent if the user pastes a key. */
function TrustForm({ fingerprint, onDone }: { fingerprint?: string; onDone: () => void }): ReactElement {
  const form = useApiForm({
    initial: { name: '', pasted: fingerprint ?? '' },
    call: useCall('POST /signers', { changes: ['GET /signers'] }),
    read: ({ name, pasted }) =>
      readWith(addSignerSchema, { name: name.trim(), ...keyOrFingerprint(pasted) }, placeKey),
    args: (body) => ({ body }),
    placeOf: placeKey,
    onDone,
  });
  const { name, pasted } = form.values;
  const { error: problem, ...input } = form.getInputProps('pasted');
  return (
    <DialogForm
      onSubmit={form.submit}
      noValidate
      buttons={
        <Button type="submit" loading={form.isPending} disabled={name.trim() === '' || pasted.trim() === ''}>
          Trust
        </Button>
      }
    >
      <p className={styles.words}>
        A signature proves that a bundle has not changed since it was signed. To be sure who signed it,
        confirm the key with its owner over another channel.
      </p>
      <TextFields of={[nameField]} form={form} first="name" />
      <Field
        label={fingerprint === undefined ? 'Public key' : 'Fingerprint'}
        hint={
          fingerprint === undefined
            ? 'The contents of signer.pem from a bundle, or the key’s fingerprint (SHA256:…).'
            : 'Fingerprint of the public key in the bundle’s file signer.pem.'
        }
        problem={problem}
      >
        {(control) => (
          <Textarea
            {...input}
            {...control}
            autosize
            minRows={fingerprint === undefined ? 3 : 1}
            maxRows={8}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            readOnly={fingerprint !== undefined}
          />
        )}
      </Field>
      <FormError error={form.error} lost="Nothing was added." />
    </DialogForm>
  );
}
