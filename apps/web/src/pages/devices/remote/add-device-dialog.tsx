import { Button, Modal, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useState } from 'react';
import { ApiErrorState } from '../../../api/api-error-state.tsx';
import type { KnownDevice } from '../../../api/client.ts';
import { Field, type FieldProblem } from '../../../ui/input/field.tsx';
import { addressProblems } from './address-problems.ts';
import { ConfirmKey } from './confirm-key.tsx';
import { useAddDevice, useHostKey, useInstallation } from './device-calls.ts';
import { fieldProblemOf } from './field-problem-of.ts';
import { GoOn } from './go-on.tsx';
import { InstallSteps } from './install-steps.tsx';
import styles from './remote.module.css';

interface AddressForm {
  name: string;
  host: string;
  port: string;
  user: string;
}

const emptyForm: AddressForm = { name: '', host: '', port: '22', user: 'pi' };

type AddDeviceDialogProps = {
  opened: boolean;
  onClose: () => void;
  /** One that is known already and is to be logged in to anew. */
  device?: KnownDevice;
};

/** Address, then the host key to be compared, then the installation step by step. */
export function AddDeviceDialog({ opened, onClose, device }: AddDeviceDialogProps): ReactElement {
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={680}>
      <div className={styles.dialogHead}>
        <Modal.Title>{device ? `Log in to ${device.name}` : 'Add a device'}</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </div>
      {opened && <AddDevice onClose={onClose} initial={device ? formOf(device) : emptyForm} />}
    </Modal>
  );
}

function formOf({ name, ssh }: KnownDevice): AddressForm {
  return { name, host: ssh?.host ?? '', port: String(ssh?.port ?? 22), user: ssh?.user ?? 'pi' };
}

type AddDeviceProps = { initial: AddressForm; onClose: () => void };

function AddDevice({ initial, onClose }: AddDeviceProps): ReactElement {
  const [form, setForm] = useState(initial);
  const hostKey = useHostKey();
  const add = useAddDevice();
  const installation = useInstallation(add.data?.deviceId ?? null);
  const change = (fields: Partial<AddressForm>): void => {
    hostKey.reset();
    add.reset();
    setForm((before) => ({ ...before, ...fields }));
  };
  if (add.data) {
    const shown = installation.data ?? add.data;
    return (
      <div className={styles.form}>
        <InstallSteps installation={shown} />
        <GoOn installation={shown} />
        <div className={styles.buttons}>
          {shown.status === 'failed' && (
            <Button variant="default" onClick={() => add.reset()}>
              Back to the login
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
      onConfirm={(login) =>
        add.mutate({
          name: form.name,
          host: form.host,
          port: Number(form.port),
          user: form.user,
          fingerprint,
          login,
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
  const [problems, setProblems] = useState<Partial<Record<keyof AddressForm, FieldProblem>>>({});
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const found = addressProblems(form);
    setProblems(found);
    if (Object.keys(found).length === 0) hostKey.mutate({ host: form.host.trim(), port: Number(form.port) });
  };
  const error = hostKey.error;
  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.words}>
        A Raspberry Pi or any Linux machine (64-bit) with sshd. Nothing has to be installed on it before.
      </p>
      <div className={styles.halves}>
        <Field label="Name" hint="As it will stand in tables." problem={problems.name}>
          {(control) => <TextInput {...control} {...text('name')} data-autofocus placeholder="pi-kitchen" />}
        </Field>
        <Field label="User" hint="May use sudo." problem={problems.user}>
          {(control) => <TextInput {...control} {...text('user')} placeholder="pi" />}
        </Field>
      </div>
      <div className={styles.pair}>
        <Field
          label="Address"
          problem={problems.host ?? fieldProblemOf(error, 'host') ?? fieldProblemOf(error, 'port')}
        >
          {(control) => <TextInput {...control} {...text('host')} placeholder="192.168.1.5" />}
        </Field>
        <Field label="Port" problem={problems.port}>
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
