import { Button } from '@mantine/core';
import { issuesOf } from '@mqttlab/shared/domain/issue';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import {
  type DeviceLogin,
  deviceNameSchema,
  type HostKeyAnswer,
  hostSchema,
  userSchema,
} from '@mqttlab/shared/messages/devices';
import { type ReactElement, useState } from 'react';
import { Link } from 'react-router';
import * as z from 'zod';
import { ApiErrorState, FormError } from '../../../api/api-error-state.tsx';
import { type ApiCall, useCall } from '../../../api/use-api.ts';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { type FieldProblem, fieldProblemOf, TextFields, type TextSpec } from '../../../ui/input/field.tsx';
import { deviceChanges, useInstallation } from './device-queries.ts';
import { GoOn, InstallSteps } from './install-steps.tsx';
import { emptyLogin, LoginFields, toLogin } from './login-fields.tsx';
import styles from './remote.module.css';

const emptyForm = { name: '', host: '', port: '22', user: 'pi' };
type AddressForm = typeof emptyForm;

type AddDeviceDialogProps = {
  opened: boolean;
  onClose: () => void;
  /** One that is known already and is to be logged in to anew. */
  device?: KnownDevice;
};

/** Address, then the host key to be compared, then the installation step by step. */
export function AddDeviceDialog({ opened, onClose, device }: AddDeviceDialogProps): ReactElement {
  return (
    <Dialog
      title={device ? `Log in to ${device.name}` : 'Add a device'}
      size={680}
      opened={opened}
      onClose={onClose}
    >
      <AddDevice onClose={onClose} initial={device ? formOf(device) : emptyForm} />
    </Dialog>
  );
}

function formOf({ name, ssh }: KnownDevice): AddressForm {
  return { name, host: ssh?.host ?? '', port: String(ssh?.port ?? 22), user: ssh?.user ?? 'pi' };
}

function AddDevice({ initial, onClose }: { initial: AddressForm; onClose: () => void }): ReactElement {
  const [form, setForm] = useState(initial);
  const hostKey = useCall('POST /devices/host-key');
  const add = useCall('POST /devices', deviceChanges);
  const installation = useInstallation(add.data?.deviceId ?? null);
  const change = (fields: Partial<AddressForm>): void => {
    hostKey.reset();
    add.reset();
    setForm((before) => ({ ...before, ...fields }));
  };
  if (add.data) {
    const shown = installation.data ?? add.data;
    return (
      <DialogForm
        buttons={
          <>
            {shown.status === 'failed' && (
              <Button variant="default" onClick={() => add.reset()}>
                Back to the login
              </Button>
            )}
            <Button onClick={onClose}>
              {shown.status === 'running' ? 'Continue in the background' : 'Close'}
            </Button>
          </>
        }
      >
        <InstallSteps installation={shown} />
        <GoOn installation={shown} />
      </DialogForm>
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
      onConfirm={(login) => add.mutate({ body: { ...form, port: Number(form.port), fingerprint, login } })}
    />
  );
}

type AddressFieldsProps = {
  form: AddressForm;
  onChange: (fields: Partial<AddressForm>) => void;
  hostKey: ApiCall<'POST /devices/host-key'>;
  onClose: () => void;
};

const identity: readonly TextSpec<keyof AddressForm>[] = [
  { name: 'name', label: 'Name', hint: 'Shown in tables.', placeholder: 'pi-kitchen', required: true },
  { name: 'user', label: 'User', hint: 'May use sudo.', placeholder: 'pi', required: true },
];
const place: readonly TextSpec<keyof AddressForm>[] = [
  { name: 'host', label: 'Address', placeholder: '192.168.1.5', required: true },
  { name: 'port', label: 'Port', inputMode: 'numeric', required: true },
];

function AddressFields({ form, onChange, hostKey, onClose }: AddressFieldsProps): ReactElement {
  const [found, setFound] = useState<Partial<Record<keyof AddressForm, FieldProblem>>>({});
  const { error } = hostKey;
  const submit = (): void => {
    const problems = addressProblems(form);
    setFound(problems);
    if (Object.keys(problems).length > 0) return;
    hostKey.mutate({ body: { host: form.host.trim(), port: Number(form.port) } });
  };
  const told = fieldProblemOf(error, 'host') ?? fieldProblemOf(error, 'port');
  const text = { form, onChange, problems: { ...found, host: found.host ?? told } };
  return (
    <DialogForm
      onSubmit={submit}
      buttons={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={hostKey.isPending}>
            Show its host key
          </Button>
        </>
      }
    >
      <p className={styles.words}>
        A Raspberry Pi or any 64-bit Linux machine with sshd. Nothing else needs to be installed.
      </p>
      <div className={styles.halves}>
        <TextFields {...text} of={identity} first="name" />
      </div>
      <div className={styles.pair}>
        <TextFields {...text} of={place} />
      </div>
      <FormError error={error} />
    </DialogForm>
  );
}

type ConfirmKeyProps = {
  answer: HostKeyAnswer;
  user: string;
  error: ApiError | null;
  isPending: boolean;
  onBack: () => void;
  onConfirm: (login: DeviceLogin) => void;
};

/** The host key before it is trusted, and how to log in once it is. */
function ConfirmKey(props: ConfirmKeyProps): ReactElement {
  const { answer, user, error, isPending, onBack, onConfirm } = props;
  const [form, setForm] = useState(emptyLogin);
  const login = toLogin(form);
  const [changed] = answer.changedFor;
  return (
    <DialogForm
      onSubmit={() => login && onConfirm(login)}
      buttons={
        <>
          <Button variant="default" onClick={onBack}>
            Back
          </Button>
          <Button type="submit" loading={isPending} disabled={login === null || changed !== undefined}>
            Trust this key and install
          </Button>
        </>
      }
    >
      <div className={styles.key}>
        <span>Host key, {answer.algorithm}</span>
        <strong className={styles.fingerprint}>{answer.fingerprint}</strong>
        <span className={styles.words}>
          Compare it on the device: <code>ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</code>. After that,
          only this key is accepted.
        </span>
      </div>
      {changed !== undefined && (
        <div className={styles.warning} role="alert">
          <p>
            <b>{answer.changedFor.join(', ')} had another key at this address.</b> If its system was not
            reinstalled, this may be a man-in-the-middle attack. Confirm the new key on{' '}
            <Link className="link" to={`/devices/${changed}`}>
              its page
            </Link>{' '}
            first.
          </p>
        </div>
      )}
      <LoginFields user={user} form={form} serverKey={answer.serverKey} onChange={setForm} />
      {error && <ApiErrorState error={error} lost="Nothing was sent to the device." />}
    </DialogForm>
  );
}

const formSchema = z.object({
  name: deviceNameSchema,
  host: hostSchema,
  port: z
    .string()
    .regex(/^\d+$/, 'is no number')
    .refine((text) => Number(text) >= 1 && Number(text) <= 65_535, 'is no port'),
  user: userSchema,
});

const remedies: Readonly<Record<string, string>> = {
  name: 'Enter one like pi-kitchen.',
  host: 'Enter it like 192.168.1.5 or raspberrypi.local.',
  port: 'Mostly 22.',
  user: 'On Raspberry Pi OS it is the user created during installation, often pi.',
};

/** What is wrong with an address before anybody is asked, by field. */
export function addressProblems(form: z.input<typeof formSchema>): Record<string, FieldProblem> {
  const parsed = formSchema.safeParse(form);
  if (parsed.success) return {};
  return Object.fromEntries(
    issuesOf(parsed.error)
      .toReversed()
      .map(({ field, reason }) => [
        field,
        {
          what: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
          remedy: remedies[field] ?? 'Correct it.',
        },
      ]),
  );
}
