import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type AccessRole, changePasswordSchema, type SessionState } from '@mqttlab/shared/messages/access';
import { type ReactElement, useState } from 'react';
import { FormError } from '../../api/api-error-state.tsx';
import { showProblem } from '../../api/show-problem.tsx';
import { readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import { Dialog, DialogForm } from '../../ui/dialog.tsx';
import { DangerButton } from '../../ui/input/buttons.tsx';
import { FieldRow, TextFields, type TextSpec } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import styles from './settings-page.module.css';

export const roleWords: Readonly<Record<AccessRole, string>> = {
  viewer: 'viewer: read-only access',
  operator: 'operator: runs, edits and shares experiments',
  administrator: 'administrator: also devices, webhooks, accounts',
};

/** The current user, with log-out and password change. */
export function OwnAccountPanel({ session }: { session: SessionState }): ReactElement | null {
  const [isChanging, setChanging] = useState(false);
  const logOut = useCall('DELETE /session', { changes: ['GET /session'] });
  const logOutEverywhere = useCall('DELETE /sessions', { changes: ['GET /session'] });
  const { name, role, accountId } = session;
  if (!session.loginRequired || role === null) return null;
  const leave = (call: typeof logOut | typeof logOutEverywhere) =>
    call.mutate(undefined, { onError: (error) => showProblem('You are still logged in', error) });
  return (
    <Panel flush title="Your login" subtitle={roleWords[role]}>
      <FieldRow label={name ?? ''}>
        <div className={styles.actions}>
          {accountId !== null && (
            <Button variant="default" size="xs" onClick={() => setChanging(true)}>
              Change password
            </Button>
          )}
          <Button variant="default" size="xs" onClick={() => leave(logOut)}>
            Log out
          </Button>
          <DangerButton size="xs" onClick={() => leave(logOutEverywhere)}>
            Log out everywhere
          </DangerButton>
        </div>
      </FieldRow>
      <Dialog title="Change password" size={440} opened={isChanging} onClose={() => setChanging(false)}>
        <PasswordForm onDone={() => setChanging(false)} />
      </Dialog>
    </Panel>
  );
}

const fields: readonly TextSpec<'password' | 'newPassword'>[] = [
  { name: 'password', label: 'Current password', type: 'password' },
  { name: 'newPassword', label: 'New password', type: 'password', hint: 'At least 10 characters.' },
];

function PasswordForm({ onDone }: { onDone: () => void }): ReactElement {
  const form = useApiForm({
    initial: { password: '', newPassword: '' },
    call: useCall('PUT /session/password', { changes: ['GET /accounts'] }),
    read: (values) => readWith(changePasswordSchema, values),
    args: (body) => ({ body }),
    onDone: () => {
      notifications.show({ message: 'Password changed. All other browsers are logged out.' });
      onDone();
    },
  });
  const { password, newPassword } = form.values;
  return (
    <DialogForm
      onSubmit={form.submit}
      noValidate
      buttons={
        <Button type="submit" loading={form.isPending} disabled={password === '' || newPassword === ''}>
          Change password
        </Button>
      }
    >
      <TextFields of={fields} form={form} first="password" />
      <FormError error={form.error} lost="The password was not changed." />
    </DialogForm>
  );
}
