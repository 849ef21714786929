import { Button } from '@mantine/core';
import {
  type AccessRole,
  newTokenSchema,
  type Token,
  type TokenScope,
} from '@mqttlab/shared/messages/access';
import type { ReactElement } from 'react';
import { FormError } from '../../api/api-error-state.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import { type ExpiryChoice, expiryMs, expiryWords } from '../../share/share-links.ts';
import type { Column } from '../../ui/data-table.tsx';
import { DialogForm } from '../../ui/dialog.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { DangerButton } from '../../ui/input/buttons.tsx';
import { Choice } from '../../ui/input/choice.tsx';
import { TextFields } from '../../ui/input/field.tsx';
import { showUndoToast } from '../../ui/undo-toast.tsx';
import { ListPanel, SecretDialog } from './list-panel.tsx';
import { roleWords } from './own-account-panel.tsx';
import styles from './settings-page.module.css';

const scopeWords: Readonly<Record<TokenScope, string>> = {
  everything: 'all permissions of its role',
  experiments: 'experiments, runs, studies and links',
  devices: 'devices and testbeds',
  metrics: '/metrics only, for Prometheus',
};

const inUse = ({ items }: { items: Token[] }) => items.filter(({ revokedAt }) => revokedAt === null);

/** API tokens for programs. */
export function TokensPanel(): ReactElement {
  return (
    <ListPanel
      title="API tokens"
      subtitle="credentials for scripts and programs"
      query={useApi('GET /tokens', {}, { select: inUse })}
      columns={columns}
      rowKey={({ id }) => String(id)}
      empty="No tokens. Create a separate token for each pipeline, script or Prometheus server, with only the permissions it needs."
      add={{
        label: 'Create a token',
        dialog: (state) => (
          <SecretDialog
            title="Create a token"
            titleOfSecret="Token secret"
            size={480}
            {...state}
            form={(onMade) => <AddForm onMade={(secret) => onMade({ secret, words })} />}
          />
        ),
      }}
    />
  );
}

const words = 'Programs send it as "Authorization: Bearer …". It is not shown again.';

function endWords({ expiresAt }: Token): string {
  if (expiresAt === null) return 'does not expire';
  return `${expiresAt <= Date.now() ? 'expired' : 'expires'} ${formatDateTime(expiresAt)}`;
}

const columns: Column<Token>[] = [
  {
    id: 'name',
    head: 'Token',
    width: '44%',
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
  { id: 'revoke', head: 'Revoke', width: '216px', cell: (token) => <Revoke token={token} /> },
];

/** Revokes the token immediately. Programs are rejected until it is restored. */
function Revoke({ token: { id, name } }: { token: Token }): ReactElement {
  const revoke = useCall('DELETE /tokens/{id}', { changes: ['GET /tokens'] });
  const restore = useCall('POST /tokens/{id}/restore', { changes: ['GET /tokens'] });
  // The row is removed before the response arrives, so callbacks of `mutate` would not be called.
  const undo = async () => {
    try {
      await restore.mutateAsync({ params: { id } });
    } catch (error) {
      showProblem('The token was not restored', error);
    }
  };
  const start = async () => {
    try {
      await revoke.mutateAsync({ params: { id } });
      const message = `Token ${name} was revoked`;
      showUndoToast({ message, onUndo: () => void undo(), timeoutMs: undoMs });
    } catch (error) {
      showProblem('The token was not revoked', error);
    }
  };
  return (
    <DangerButton
      size="xs"
      aria-label={`Revoke ${name}`}
      loading={revoke.isPending}
      onClick={() => void start()}
    >
      Revoke
    </DangerButton>
  );
}

/** Time to undo on the page. The server accepts a restore for `restoreMinutes`. */
const undoMs = 20_000;

function AddForm({ onMade }: { onMade: (secret: string) => void }): ReactElement {
  const form = useApiForm({
    initial: {
      name: '',
      role: 'operator' as AccessRole,
      scope: 'experiments' as TokenScope,
      expiry: 'month' as ExpiryChoice,
    },
    call: useCall('POST /tokens', { changes: ['GET /tokens', 'GET /session'] }),
    read: ({ expiry, ...values }) => {
      const afterMs = expiryMs[expiry];
      const expires = afterMs === null ? {} : { expiresAt: Date.now() + afterMs };
      return readWith(newTokenSchema, { ...values, ...expires });
    },
    args: (body) => ({ body }),
    onDone: ({ secret }) => onMade(secret),
  });
  return (
    <DialogForm
      onSubmit={form.submit}
      noValidate
      buttons={
        <Button type="submit" loading={form.isPending} disabled={form.values.name.trim() === ''}>
          Create token
        </Button>
      }
    >
      <TextFields
        of={[{ name: 'name', label: 'Name', hint: 'Its purpose, such as "nightly pipeline".' }]}
        form={form}
        first="name"
      />
      <Choice label="Role" words={roleWords} {...form.getInputProps('role')} />
      <Choice label="For" words={scopeWords} {...form.getInputProps('scope')} />
      <Choice label="Ends" words={expiryWords} {...form.getInputProps('expiry')} />
      <FormError error={form.error} lost="No token was created." />
    </DialogForm>
  );
}
