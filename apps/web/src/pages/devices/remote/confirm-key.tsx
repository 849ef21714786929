import { Button } from '@mantine/core';
import type { DeviceLogin, HostKeyAnswer } from '@mqttlab/shared/messages/devices';
import { type ReactElement, useState } from 'react';
import { Link } from 'react-router';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import type { ApiError } from '../../../api/client.ts';
import { emptyLogin, LoginFields, toLogin } from './login-fields.tsx';
import styles from './remote.module.css';

type ConfirmKeyProps = {
  answer: HostKeyAnswer;
  user: string;
  error: ApiError | null;
  isPending: boolean;
  onBack: () => void;
  onConfirm: (login: DeviceLogin) => void;
};

/** The host key before it is trusted, and how to log in once it is. */
export function ConfirmKey(props: ConfirmKeyProps): ReactElement {
  const { answer, user, error, isPending, onBack, onConfirm } = props;
  const [form, setForm] = useState(emptyLogin);
  const login = toLogin(form);
  const [changed] = answer.changedFor;
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (login) onConfirm(login);
      }}
    >
      <div className={styles.key}>
        <span>Host key, {answer.algorithm}</span>
        <strong className={styles.fingerprint}>{answer.fingerprint}</strong>
        <span className={styles.words}>
          Compare it on the device: <code>ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</code>. From now on
          only this key is accepted.
        </span>
      </div>
      {changed !== undefined && (
        <div className={styles.warning} role="alert">
          <p>
            <b>{answer.changedFor.join(', ')} had another key at this address.</b> If its system was not
            installed anew, somebody may be between you and it. Confirm the new key on{' '}
            <Link className="link" to={`/devices/${changed}`}>
              its page
            </Link>{' '}
            first.
          </p>
        </div>
      )}
      <LoginFields user={user} form={form} serverKey={answer.serverKey} onChange={setForm} />
      {error && <ApiErrorState error={error} lost="Nothing was sent to the device." />}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button type="submit" loading={isPending} disabled={login === null || changed !== undefined}>
          Trust this key and install
        </Button>
      </div>
    </form>
  );
}
