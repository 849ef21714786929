import { Button, CopyButton, PasswordInput, Textarea } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { DeviceLogin } from '@mqttlab/shared/messages/devices';
import type { ReactElement } from 'react';
import { Field } from '../../../ui/input/field.tsx';
import { SegmentedSwitch } from '../../../ui/input/segmented-switch.tsx';
import styles from './remote.module.css';

type LoginForm = {
  kind: DeviceLogin['kind'];
  password: string;
  privateKey: string;
  passphrase: string;
  sudoPassword: string;
};

export const emptyLogin: LoginForm = {
  kind: 'password',
  password: '',
  privateKey: '',
  passphrase: '',
  sudoPassword: '',
};

/** Returns the credentials to send; null while a field is missing. */
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
  form: UseFormReturnType<LoginForm>;
  /** The server's public key. */
  serverKey: string;
};

/** Credentials for the first login. Later logins use the server's key. */
export function LoginFields({ user, form, serverKey }: LoginFieldsProps): ReactElement {
  const { kind } = form.values;
  const text = (field: keyof LoginForm) => ({ ...form.getInputProps(field), autoComplete: 'off' });
  return (
    <>
      <SegmentedSwitch
        label="How to log in"
        size="sm"
        value={kind}
        onChange={(chosen) => form.setFieldValue('kind', chosen)}
        options={[
          { value: 'password', label: 'Password' },
          { value: 'key', label: 'Private key' },
          { value: 'server-key', label: 'Key already installed' },
        ]}
      />
      {kind === 'password' && (
        <Field
          label={`Password of ${user}`}
          hint="Used once to install the server's key and for sudo. It is neither stored nor logged."
        >
          {(control) => <PasswordInput {...text('password')} {...control} />}
        </Field>
      )}
      {kind === 'key' && (
        <>
          <Field
            label={`Private key of ${user}`}
            hint="OpenSSH or PEM format. Used once to install the server's key. It is neither stored nor logged."
          >
            {(control) => (
              <Textarea
                {...text('privateKey')}
                {...control}
                classNames={{ input: styles.text ?? '' }}
                rows={5}
                spellCheck={false}
              />
            )}
          </Field>
          <Field label="Passphrase of the key" hint="If it has one.">
            {(control) => <PasswordInput {...text('passphrase')} {...control} />}
          </Field>
        </>
      )}
      {kind === 'server-key' && (
        <div className={styles.key}>
          <span>
            The file <code>~/.ssh/authorized_keys</code> of {user} on the device contains this line
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
      {kind !== 'password' && (
        <SudoField
          value={form.values.sudoPassword}
          onChange={(password) => form.setFieldValue('sudoPassword', password)}
        />
      )}
    </>
  );
}

type SudoFieldProps = { value: string; onChange: (value: string) => void };

/** Empty if sudo needs no password. */
export function SudoField({ value, onChange }: SudoFieldProps): ReactElement {
  return (
    <Field label="Password for sudo" hint="Only if sudo asks for one. Used once, neither stored nor logged.">
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
