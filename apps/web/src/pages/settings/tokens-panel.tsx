import { Button, Modal, Select } from '@mantine/core';
import {
  type AccessRole,
  accessRoles,
  type Token,
  type TokenScope,
  tokenScopes,
} from '@mqttlab/shared/messages/access';
import { IconPlus } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import { Loaded } from '../../api/loaded.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { CopyField } from '../../share/copy-field.tsx';
import { type ExpiryChoice, expiryChoices } from '../../share/share-links.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { ActionButton, DangerButton } from '../../ui/input/buttons.tsx';
import { Field, fieldProblemOf, TextFields } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { EmptyState } from '../../ui/states.tsx';
import styles from './access.module.css';
import { roleWords, scopeWords, useAddToken, useRevokeToken, useTokens } from './access.ts';

/** What programs log in with. */
export function TokensPanel(): ReactElement {
  const [isAdding, setAdding] = useState(false);
  return (
    <Panel
      flush
      title="API tokens"
      subtitle="what programs log in with"
      actions={
        <ActionButton small icon={IconPlus} onClick={() => setAdding(true)}>
          Make a token
        </ActionButton>
      }
    >
      <Loaded query={useTokens()} skeleton={<TableSkeleton rows={2} />} errorClass={styles.error}>
        {(rows) => (
          <DataTable
            label="API tokens"
            columns={columns}
            rows={rows.filter(({ revokedAt }) => revokedAt === null)}
            rowKey={({ id }) => String(id)}
            empty={
              <EmptyState sentence="No tokens. A pipeline, a script or Prometheus gets one of its own, with no more than it needs." />
            }
          />
        )}
      </Loaded>
      <AddTokenDialog opened={isAdding} onClose={() => setAdding(false)} />
    </Panel>
  );
}

function endWords({ expiresAt }: Token): string {
  if (expiresAt === null) return 'no end';
  return `${expiresAt <= Date.now() ? 'ended' : 'ends'} ${formatDateTime(expiresAt)}`;
}

const columns: Column<Token>[] = [
  {
    id: 'name',
    head: 'Token',
    cell: (token) => (
      <span className={styles.two}>
        {token.name}
        <span className="second">
          {token.lastUsedAt === null ? 'never used' : `last used ${formatDateTime(token.lastUsedAt)}`},{' '}
          {endWords(token)}
        </span>
      </span>
    ),
  },
  {
    id: 'may',
    head: 'May',
    cell: ({ role, scope }) => (
      <span className={styles.two}>
        {role}
        <span className="second">{scopeWords[scope]}</span>
      </span>
    ),
  },
  { id: 'revoke', head: 'End it', width: '104px', cell: (token) => <Revoke token={token} /> },
];

function Revoke({ token: { id, name } }: { token: Token }): ReactElement {
  const revoke = useRevokeToken();
  return (
    <DangerButton
      size="xs"
      loading={revoke.isPending}
      aria-label={`Revoke ${name}`}
      onClick={() =>
        revoke.mutate(id, { onError: (error) => showProblem('The token was not revoked', error) })
      }
    >
      Revoke
    </DangerButton>
  );
}

type AddTokenDialogProps = { opened: boolean; onClose: () => void };

function AddTokenDialog({ opened, onClose }: AddTokenDialogProps): ReactElement {
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => {
    setSecret(null);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={secret ? 'The secret of this token' : 'Make a token'}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // A click beside it would lose a secret that is never shown again.
      closeOnClickOutside={secret === null}
      size={480}
    >
      {secret ? (
        <DialogForm buttons={<Button onClick={close}>I have it</Button>}>
          <p className={styles.words}>
            Programs send it as "Authorization: Bearer …". It is not shown again.
          </p>
          <CopyField label="Secret" text={secret} />
        </DialogForm>
      ) : (
        opened && <AddForm onMade={setSecret} />
      )}
    </Modal>
  );
}

const choices = <Value extends string>(words: Readonly<Record<Value, string>>, of: readonly Value[]) =>
  of.map((value) => ({ value, label: words[value] }));

function AddForm({ onMade }: { onMade: (secret: string) => void }): ReactElement {
  const [form, setForm] = useState({ name: '' });
  const [role, setRole] = useState<AccessRole>('operator');
  const [scope, setScope] = useState<TokenScope>('experiments');
  const [expiry, setExpiry] = useState<ExpiryChoice>('month');
  const add = useAddToken();
  const submit = () => {
    const { afterMs } = expiryChoices[expiry];
    const expires = afterMs === null ? {} : { expiresAt: Date.now() + afterMs };
    add.mutate({ ...form, role, scope, ...expires }, { onSuccess: ({ secret }) => onMade(secret) });
  };
  return (
    <DialogForm
      onSubmit={submit}
      noValidate
      buttons={
        <Button type="submit" loading={add.isPending} disabled={form.name.trim() === ''}>
          Make it
        </Button>
      }
    >
      <TextFields
        of={[{ name: 'name', label: 'Name', hint: 'What it is for: "nightly pipeline".' }]}
        form={form}
        problems={{ name: fieldProblemOf(add.error, 'name') }}
        first="name"
        onChange={(change) => setForm((before) => ({ ...before, ...change }))}
      />
      <Choice label="Role" value={role} data={choices(roleWords, accessRoles)} onChange={setRole} />
      <Choice label="For" value={scope} data={choices(scopeWords, tokenScopes)} onChange={setScope} />
      <Choice
        label="Ends"
        value={expiry}
        data={Object.entries(expiryChoices).map(([value, { label }]) => ({
          value: value as ExpiryChoice,
          label,
        }))}
        onChange={setExpiry}
      />
      {add.error && add.error.problem.issues.length === 0 && (
        <ApiErrorState error={add.error} lost="No token was made." />
      )}
    </DialogForm>
  );
}

type ChoiceProps<Value extends string> = {
  label: string;
  value: Value;
  data: { value: Value; label: string }[];
  onChange: (value: Value) => void;
};

function Choice<Value extends string>({ label, value, data, onChange }: ChoiceProps<Value>): ReactElement {
  return (
    <Field label={label}>
      {({ error: _, ...control }) => (
        <Select
          {...control}
          value={value}
          data={data}
          allowDeselect={false}
          onChange={(chosen) => onChange(chosen as Value)}
        />
      )}
    </Field>
  );
}
