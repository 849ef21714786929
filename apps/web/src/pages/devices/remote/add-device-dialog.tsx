import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
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
import type { ReactElement } from 'react';
import { Link } from 'react-router';
import * as z from 'zod';
import { ApiErrorState, FormError } from '../../../api/api-error-state.tsx';
import { type ApiForm, atItsField, useApiForm } from '../../../api/use-api-form.tsx';
import { useCall } from '../../../api/use-call.ts';
import { Dialog, DialogForm } from '../../../ui/dialog.tsx';
import { type FieldProblem, TextFields, type TextSpec } from '../../../ui/input/field.tsx';
import { deviceChanges, useInstallation } from './device-queries.ts';
import { GoOn, InstallSteps } from './install-steps.tsx';
import { emptyLogin, LoginFields, toLogin } from './login-fields.tsx';
import styles from './remote.module.css';

const emptyForm = { name: '', host: '', port: '22', user: 'pi' };
type AddressForm = typeof emptyForm;

type AddDeviceDialogProps = {
  opened: boolean;
  onClose: () => void;
  /** An existing device that needs a new login. */
  device?: KnownDevice;
};

/** Steps: address, host key comparison, installation progress. */
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
  const hostKey = useCall('POST /devices/host-key');
  const add = useCall('POST /devices', deviceChanges);
  const form = useApiForm({
    initial,
    call: hostKey,
    read: (values) => {
      const problems = addressProblems(values);
      if (Object.keys(problems).length > 0) return { ok: false, problems };
      return { ok: true, body: { host: values.host.trim(), port: Number(values.port) } };
    },
    args: (body) => ({ body }),
    // The server reports address and port as one field.
    placeOf: (issue) => ({ ...atItsField(issue), field: 'host' }),
  });
  const installation = useInstallation(add.data?.deviceId ?? null);
  if (add.data) {
    const shown = installation.data ?? add.data;
    return (
      <DialogForm
        buttons={
          <>
            {shown.status === 'failed' && (
              <Button variant="default" onClick={() => add.reset()}>
                Back to login
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
    return <AddressFields form={form} onClose={onClose} />;
  }
  const { fingerprint } = hostKey.data;
  const { values } = form;
  return (
    <ConfirmKey
      answer={hostKey.data}
      user={values.user}
      error={add.error}
      isPending={add.isPending}
      onBack={() => {
        hostKey.reset();
        add.reset();
      }}
      onConfirm={(login) =>
        add.mutate({ body: { ...values, port: Number(values.port), fingerprint, login } })
      }
    />
  );
}

type AddressFieldsProps = { form: ApiForm<AddressForm>; onClose: () => void };

const identity: readonly TextSpec<keyof AddressForm>[] = [
  { name: 'name', label: 'Name', hint: 'Shown in tables.', placeholder: 'pi-kitchen', required: true },
  { name: 'user', label: 'User', hint: 'May use sudo.', placeholder: 'pi', required: true },
];
const place: readonly TextSpec<keyof AddressForm>[] = [
  { name: 'host', label: 'Address', placeholder: '192.168.1.5', required: true },
  { name: 'port', label: 'Port', inputMode: 'numeric', required: true },
];

function AddressFields({ form, onClose }: AddressFieldsProps): ReactElement {
  return (
    <DialogForm
      onSubmit={form.submit}
      buttons={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.isPending}>
            Show host key
          </Button>
        </>
      }
    >
      <p className={styles.words}>
        A Raspberry Pi or any 64-bit Linux machine with sshd. Nothing else needs to be installed.
      </p>
      <div className={styles.halves}>
        <TextFields form={form} of={identity} first="name" />
      </div>
      <div className={styles.pair}>
        <TextFields form={form} of={place} />
      </div>
      <FormError error={form.error} />
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

/** Shows the host key for comparison, and the login fields. */
function ConfirmKey(props: ConfirmKeyProps): ReactElement {
  const { answer, user, error, isPending, onBack, onConfirm } = props;
  const form = useForm({ initialValues: emptyLogin });
  const login = toLogin(form.values);
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
          Compare it with the output of <code>ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</code> on the
          device. After you confirm it, only this key is accepted.
        </span>
      </div>
      {changed !== undefined && (
        <div className={styles.warning} role="alert">
          <p>
            <b>{answer.changedFor.join(', ')} had a different key at this address.</b> If its system was not
            reinstalled, this may be a man-in-the-middle attack. Confirm the new key on{' '}
            <Link className="link" to={`/devices/${changed}`}>
              its page
            </Link>{' '}
            first.
          </p>
        </div>
      )}
      <LoginFields user={user} form={form} serverKey={answer.serverKey} />
      {error && <ApiErrorState error={error} lost="Nothing was sent to the device." />}
    </DialogForm>
  );
}

const formSchema = z.object({
  name: deviceNameSchema,
  host: hostSchema,
  port: z
    .string()
    .regex(/^\d+$/, 'is not a number')
    .refine((text) => Number(text) >= 1 && Number(text) <= 65_535, 'is not a valid port'),
  user: userSchema,
});

const remedies: Readonly<Record<string, string>> = {
  name: 'Enter a name such as pi-kitchen.',
  host: 'Enter an address such as 192.168.1.5 or raspberrypi.local.',
  port: 'Usually 22.',
  user: 'On Raspberry Pi OS it is the user created during installation, often pi.',
};

/** Validates an address before sending it. Returns problems by field. */
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
