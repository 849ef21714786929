import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { SessionState } from '@mqttlab/shared/messages/access';
import { type ReactElement, useState } from 'react';
import { FormError } from '../../api/api-error-state.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { DangerButton } from '../../ui/input/buttons.tsx';
import { FieldRow, fieldProblemOf, TextFields, type TextSpec } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { roleWords, useChangePassword, useLogOut } from './access.ts';
import styles from './settings-page.module.css';

/** Who is logged in here, and the way out. */
export function OwnAccountPanel({ session }: { session: SessionState }): ReactElement | null {
  const [isChanging, setChanging] = useState(false);
  const logOut = useLogOut();
  const { name, role, accountId } = session;
  if (!session.loginRequired || role === null) return null;
  const leave = (everywhere: boolean) =>
    logOut.mutate(everywhere, { onError: (error) => showProblem('You are still logged in', error) });
  return (
    <Panel flush title="Your login" subtitle={roleWords[role]}>
      <FieldRow label={name ?? ''}>
        <div className={styles.actions}>
          {accountId !== null && (
            <Button variant="default" size="xs" onClick={() => setChanging(true)}>
              Change the password
            </Button>
          )}
          <Button variant="default" size="xs" onClick={() => leave(false)}>
            Log out
          </Button>
          <DangerButton size="xs" onClick={() => leave(true)}>
            Log out everywhere
          </DangerButton>
        </div>
      </FieldRow>
      <Dialog title="Change the password" size={440} opened={isChanging} onClose={() => setChanging(false)}>
        <PasswordForm onDone={() => setChanging(false)} />
      </Dialog>
    </Panel>
  );
}

const fields: readonly TextSpec<'password' | 'newPassword'>[] = [
  { name: 'password', label: 'Present password', type: 'password' },
  { name: 'newPassword', label: 'New password', type: 'password', hint: 'At least 10 characters.' },
];

function PasswordForm({ onDone }: { onDone: () => void }): ReactElement {
  const [form, setForm] = useState({ password: '', newPassword: '' });
  const change = useChangePassword();
  const submit = () =>
    change.mutate(form, {
      onSuccess: () => {
        notifications.show({ message: 'The password was changed, and every other browser logged out.' });
        onDone();
      },
    });
  const problems = {
    password: fieldProblemOf(change.error, 'password'),
    newPassword: fieldProblemOf(change.error, 'newPassword'),
  };
  return (
    <DialogForm
      onSubmit={submit}
      noValidate
      buttons={
        <Button
          type="submit"
          loading={change.isPending}
          disabled={form.password === '' || form.newPassword === ''}
        >
          Change it
        </Button>
      }
    >
      <TextFields
        of={fields}
        form={form}
        problems={problems}
        first="password"
        onChange={(changed) => setForm((before) => ({ ...before, ...changed }))}
      />
      <FormError error={change.error} lost="The password stays as it was." />
    </DialogForm>
  );
}
