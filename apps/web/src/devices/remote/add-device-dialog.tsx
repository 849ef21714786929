import { Button, Modal, PasswordInput, TextInput } from '@mantine/core';
import type { HostKeyAnswer } from '@mqttlab/shared/protocol/devices';
import { type FormEvent, type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../api/api-error-state.tsx';
import type { ApiError } from '../../api/client.ts';
import { Field } from '../../ui/field.tsx';
import { useAddDevice, useHostKey, useInstallation } from './device-calls.ts';
import { fieldProblemOf } from './field-problem-of.ts';
import { InstallSteps } from './install-steps.tsx';
import styles from './remote.module.css';

interface AddressForm {
  name: string;
  host: string;
  port: string;
  user: string;
}

type AddDeviceDialogProps = { opened: boolean; onClose: () => void };

/** Address, then the host key to be compared, then the installation step by step. */
export function AddDeviceDialog({ opened, onClose }: AddDeviceDialogProps): ReactElement {
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={680}>
      <div className={styles.dialogHead}>
        <Modal.Title>Add a device</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      {opened && <AddDevice onClose={onClose} />}
    </Modal>
  );
}

function AddDevice({ onClose }: { onClose: () => void }): ReactElement {
  const [form, setForm] = useState<AddressForm>({ name: '', host: '', port: '22', user: 'pi' });
  const hostKey = useHostKey();
  const add = useAddDevice();
  const installation = useInstallation(add.data?.deviceId ?? null);
  const change = (fields: Partial<AddressForm>): void => {
    hostKey.reset();
    setForm((before) => ({ ...before, ...fields }));
  };
  if (add.data) {
    const shown = installation.data ?? add.data;
    return (
      <div className={styles.form}>
        <InstallSteps installation={shown} />
        <div className={styles.buttons}>
          {shown.status === 'failed' && (
            <Button variant="default" onClick={() => add.reset()}>
              Correct and go on
            </Button>
          )}
          <Button onClick={onClose}>
            {shown.status === 'running' ? 'Go on in the background' : 'Close'}
          </Button>
        </div>
      </div>
    );
  }
  if (!hostKey.data) {
    return <AddressFields form={form} onChange={change} hostKey={hostKey} onClose={onClose} />;
  }
  const { fingerprint } = hostKey.data;
  return (
    <ConfirmKey
      answer={hostKey.data}
      user={form.user}
      error={add.error}
      isPending={add.isPending}
      onBack={() => change({})}
      onConfirm={(password) =>
        add.mutate({
          ...{ name: form.name, host: form.host, port: Number(form.port), user: form.user, fingerprint },
          login: password === '' ? { kind: 'server-key' } : { kind: 'password', password },
        })
      }
    />
  );
}

type AddressFieldsProps = {
  form: AddressForm;
  onChange: (fields: Partial<AddressForm>) => void;
  hostKey: ReturnType<typeof useHostKey>;
  onClose: () => void;
};

function AddressFields({ form, onChange, hostKey, onClose }: AddressFieldsProps): ReactElement {
  const text = (field: keyof AddressForm) => ({
    value: form[field],
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ [field]: event.currentTarget.value }),
    autoComplete: 'off',
    spellCheck: false,
    required: true,
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    hostKey.mutate({ host: form.host, port: Number(form.port) });
  };
  const error = hostKey.error;
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.words}>
        A Raspberry Pi or any Linux machine (64-bit) with sshd. Nothing has to be installed on it before.
      </p>
      <div className={styles.halves}>
        <Field label="Name" hint="As it will stand in tables.">
          {(control) => <TextInput {...control} {...text('name')} data-autofocus placeholder="pi-kitchen" />}
        </Field>
        <Field label="User" hint="May use sudo.">
          {(control) => <TextInput {...control} {...text('user')} placeholder="pi" />}
        </Field>
      </div>
      <div className={styles.pair}>
        <Field label="Address" problem={fieldProblemOf(error, 'host')}>
          {(control) => <TextInput {...control} {...text('host')} placeholder="192.168.1.5" />}
        </Field>
        <Field label="Port" problem={fieldProblemOf(error, 'port')}>
          {(control) => <TextInput {...control} {...text('port')} inputMode="numeric" />}
        </Field>
      </div>
      {error && error.problem.issues.length === 0 && <ApiErrorState error={error} />}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={hostKey.isPending}>
          Show its host key
        </Button>
      </div>
    </form>
  );
}

type ConfirmKeyProps = {
  answer: HostKeyAnswer;
  user: string;
  error: ApiError | null;
  isPending: boolean;
  onBack: () => void;
  onConfirm: (password: string) => void;
};

function ConfirmKey({ answer, user, error, isPending, onBack, onConfirm }: ConfirmKeyProps): ReactElement {
  const [password, setPassword] = useState('');
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm(password);
      }}
    >
      <div className={styles.key}>
        <span>Host key, {answer.algorithm}</span>
        <strong className={styles.fingerprint}>{answer.fingerprint}</strong>
        <span className={styles.words}>
          Compare it on the device: <code>ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</code>. From now on
          only this key is accepted.
        </span>
        {answer.changedFor.length > 0 && (
          <span role="alert">
            {answer.changedFor.join(', ')} had another key at this address: somebody may be between you and
            it.
          </span>
        )}
      </div>
      <Field
        label={`Password of ${user}`}
        hint="Used once, to put the server's own key on the device; neither stored nor logged. Leave it empty where that key is known already."
      >
        {(control) => (
          <PasswordInput
            {...control}
            autoComplete="off"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
      </Field>
      {error && <ApiErrorState error={error} lost="Nothing was sent to the device." />}
      <div className={styles.buttons}>
        <Button variant="default" onClick={onBack}>
          Back
        </Button>
        <Button type="submit" loading={isPending}>
          Trust this key and install
        </Button>
      </div>
    </form>
  );
}
