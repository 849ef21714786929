import { Button, CopyButton, PasswordInput, Textarea } from '@mantine/core';
import type { DeviceLogin } from '@mqttlab/shared/messages/devices';
import type { ReactElement } from 'react';
import { Field } from '../../../ui/input/field.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import styles from './remote.module.css';

interface LoginForm {
  kind: DeviceLogin['kind'];
  password: string;
  privateKey: string;
  passphrase: string;
  sudoPassword: string;
}

export const emptyLogin: LoginForm = {
  kind: 'password',
  password: '',
  privateKey: '',
  passphrase: '',
  sudoPassword: '',
};

/** What is sent; null while something that it needs is missing. */
export function toLogin(form: LoginForm): DeviceLogin | null {
  const { kind, password, privateKey, passphrase } = form;
  const sudo = form.sudoPassword === '' ? {} : { sudoPassword: form.sudoPassword };
  if (kind === 'password') return password === '' ? null : { kind, password };
  if (kind === 'server-key') return { kind, ...sudo };
  if (privateKey.trim() === '') return null;
  return { kind, privateKey, ...(passphrase === '' ? {} : { passphrase }), ...sudo };
}

type LoginFieldsProps = {
  user: string;
  form: LoginForm;
  /** Public half of the server's own key. */
  serverKey: string;
  onChange: (form: LoginForm) => void;
};

/** How the server gets onto the device the first time; later its own key does. */
export function LoginFields({ user, form, serverKey, onChange }: LoginFieldsProps): ReactElement {
  const change = (fields: Partial<LoginForm>): void => onChange({ ...form, ...fields });
  const secret = (field: 'password' | 'passphrase') => ({
    autoComplete: 'off',
    value: form[field],
    onChange: (event: { currentTarget: { value: string } }) => change({ [field]: event.currentTarget.value }),
  });
  return (
    <>
      <SegmentedSwitch
        label="How to log in"
        size="sm"
        value={form.kind}
        onChange={(kind) => change({ kind })}
        options={[
          { value: 'password', label: 'Password' },
          { value: 'key', label: 'Private key' },
          { value: 'server-key', label: 'Key is there' },
        ]}
      />
      {form.kind === 'password' && (
        <Field
          label={`Password of ${user}`}
          hint="Used once, to put the server's own key on the device, and for sudo; neither stored nor logged."
        >
          {(control) => <PasswordInput {...control} {...secret('password')} />}
        </Field>
      )}
      {form.kind === 'key' && (
        <>
          <Field
            label={`Private key of ${user}`}
            hint="OpenSSH or PEM form. Used once, to put the server's own key on the device; neither stored nor logged."
          >
            {(control) => (
              <Textarea
                {...control}
                classNames={{ input: styles.text ?? '' }}
                rows={5}
                spellCheck={false}
                autoComplete="off"
                value={form.privateKey}
                onChange={(event) => change({ privateKey: event.currentTarget.value })}
              />
            )}
          </Field>
          <Field label="Passphrase of the key" hint="If it has one.">
            {(control) => <PasswordInput {...control} {...secret('passphrase')} />}
          </Field>
        </>
      )}
      {form.kind === 'server-key' && (
        <div className={styles.key}>
          <span>
            This line is in <code>~/.ssh/authorized_keys</code> of {user} on the device
          </span>
          <span className={styles.fingerprint}>{serverKey}</span>
          <div>
            <CopyButton value={serverKey}>
              {({ copied, copy }) => (
                <Button variant="default" size="xs" onClick={copy}>
                  {copied ? 'Copied' : 'Copy it'}
                </Button>
              )}
            </CopyButton>
          </div>
        </div>
      )}
      {form.kind !== 'password' && (
        <SudoField value={form.sudoPassword} onChange={(sudoPassword) => change({ sudoPassword })} />
      )}
    </>
  );
}

type SudoFieldProps = { value: string; onChange: (value: string) => void };

/** Left empty where sudo does not ask. */
export function SudoField({ value, onChange }: SudoFieldProps): ReactElement {
  return (
    <Field label="Password for sudo" hint="Only if sudo asks for one; used once, neither stored nor logged.">
      {(control) => (
        <PasswordInput
          {...control}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
