import { Button, Menu, Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  type AccessRole,
  type Account,
  accessRoles,
  newAccountSchema,
  patchAccountSchema,
} from '@mqttlab/shared/messages/access';
import { IconDots } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { FormError } from '../../api/api-error-state.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { useApi } from '../../api/use-api.ts';
import { readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import type { Column } from '../../ui/data-table.tsx';
import { ConfirmDialog, Dialog, DialogForm } from '../../ui/dialog.tsx';
import { formatDateTime } from '../../ui/format.ts';
import { IconButton } from '../../ui/input/buttons.tsx';
import { Choice } from '../../ui/input/choice.tsx';
import { TextFields, type TextSpec } from '../../ui/input/field.tsx';
import { ListPanel } from './list-panel.tsx';
import { roleWords } from './own-account-panel.tsx';
import styles from './settings-page.module.css';

/** The session is also requested again, because the changed account may be the current user's. */
const accountChanges = { changes: ['GET /accounts', 'GET /session'] } as const;

/** Accounts and their roles. */
export function AccountsPanel(): ReactElement {
  return (
    <ListPanel
      title="Accounts"
      subtitle="users and their roles"
      query={useApi('GET /accounts', {}, { select: ({ items }) => items })}
      columns={columns}
      rowKey={({ id }) => String(id)}
      empty="No accounts. Users of this machine need no login. After you create the first administrator account, all users must log in."
      add={{
        label: 'Add an account',
        dialog: (state) => (
          <Dialog title="Add an account" size={440} {...state}>
            <AddForm onDone={state.onClose} />
          </Dialog>
        ),
      }}
    />
  );
}

const columns: Column<Account>[] = [
  {
    id: 'name',
    head: 'Name',
    sortValue: ({ name }) => name.toLowerCase(),
    cell: ({ name, lastUsedAt, sessions }) => (
      <span className={styles.two}>
        {name}
        <span className="second">
          {lastUsedAt === null ? 'never logged in' : `last active ${formatDateTime(lastUsedAt)}`}
          {sessions > 0 && `, ${sessions} ${sessions === 1 ? 'browser' : 'browsers'}`}
        </span>
      </span>
    ),
  },
  { id: 'role', head: 'Role', width: '144px', cell: (account) => <Role account={account} /> },
  { id: 'more', head: 'More', width: '72px', cell: (account) => <More account={account} /> },
];

function Role({ account: { id, name, role } }: { account: Account }): ReactElement {
  const change = useCall('PATCH /accounts/{id}', { changes: ['GET /accounts'] });
  return (
    <Select
      size="xs"
      aria-label={`Role of ${name}`}
      value={role}
      data={[...accessRoles]}
      allowDeselect={false}
      disabled={change.isPending}
      onChange={(chosen) =>
        change.mutate(
          { params: { id }, body: { role: chosen as AccessRole } },
          { onError: (error) => showProblem('The role was not changed', error) },
        )
      }
    />
  );
}

function More({ account: { id, name, sessions } }: { account: Account }): ReactElement {
  const [isChanging, setChanging] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const remove = useCall('DELETE /accounts/{id}', accountChanges);
  const end = useCall('DELETE /accounts/{id}/sessions', accountChanges);
  // The row is removed before the response arrives, so callbacks of `mutate` would not be called.
  const confirmRemoval = async () => {
    try {
      await remove.mutateAsync({ params: { id } });
      notifications.show({ message: `Account ${name} was removed`, withBorder: true });
    } catch (error) {
      showProblem(`${name} was not removed`, error);
    }
  };
  const failed = (what: string) => ({ onError: (error: unknown) => showProblem(what, error) });
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <IconButton icon={IconDots} label={`More about ${name}`} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setChanging(true)}>Set a new password</Menu.Item>
          <Menu.Item
            disabled={sessions === 0}
            onClick={() => end.mutate({ params: { id } }, failed(`${name} is still logged in`))}
          >
            Log out everywhere
          </Menu.Item>
          <Menu.Item data-danger onClick={() => setRemoving(true)}>
            Remove
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog
        title={`New password for ${name}`}
        size={440}
        opened={isChanging}
        onClose={() => setChanging(false)}
      >
        <PasswordForm id={id} onDone={() => setChanging(false)} />
      </Dialog>
      <ConfirmDialog
        title={`Remove the account ${name}?`}
        words={`${name} is logged out at once. A removed account cannot be restored.`}
        action="Remove account"
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        isPending={remove.isPending}
        onConfirm={() => void confirmRemoval()}
      />
    </>
  );
}

const nameField: TextSpec<'name'> = { name: 'name', label: 'Name', hint: 'Shown in the activity log.' };
const passwordField: TextSpec<'password'> = {
  name: 'password',
  label: 'Password',
  type: 'password',
  hint: 'At least 10 characters. The user can change it later.',
};

function AddForm({ onDone }: { onDone: () => void }): ReactElement {
  const initial = { name: '', password: '', role: 'operator' as AccessRole };
  const form = useApiForm({
    initial,
    call: useCall('POST /accounts', accountChanges),
    read: (values) => readWith(newAccountSchema, values),
    args: (body) => ({ body }),
    onDone,
  });
  const { name, password } = form.values;
  return (
    <DialogForm
      onSubmit={form.submit}
      noValidate
      buttons={
        <Button type="submit" loading={form.isPending} disabled={name === '' || password === ''}>
          Add
        </Button>
      }
    >
      <TextFields of={[nameField, passwordField]} form={form} first="name" />
      <Choice label="Role" words={roleWords} {...form.getInputProps('role')} />
      <FormError error={form.error} lost="No account was created." />
    </DialogForm>
  );
}

function PasswordForm({ id, onDone }: { id: number; onDone: () => void }): ReactElement {
  const form = useApiForm({
    initial: { password: '' },
    call: useCall('PATCH /accounts/{id}', { changes: ['GET /accounts'] }),
    read: (values) => readWith(patchAccountSchema, values),
    args: (body) => ({ params: { id }, body }),
    onDone,
  });
  return (
    <DialogForm
      onSubmit={form.submit}
      noValidate
      buttons={
        <Button type="submit" loading={form.isPending} disabled={form.values.password === ''}>
          Set password and log out everywhere
        </Button>
      }
    >
      <TextFields of={[passwordField]} form={form} first="password" />
      <FormError error={form.error} lost="The password was not changed." />
    </DialogForm>
  );
}
