import { Button, PasswordInput, TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { firstAccountSchema, type SessionState } from '@mqttlab/shared/messages/access';
import { addressOf } from '@mqttlab/shared/messages/address';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import { useLocation } from 'react-router';
import { readWith, useApiForm } from '../../api/use-api-form.tsx';
import { useCall } from '../../api/use-call.ts';
import { Field, type FieldProblem } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { documentationFolder, HelpLink } from '../../ui/shell/help-link.tsx';
import { BrandMark } from '../../ui/shell/page.tsx';
import styles from './login-page.module.css';

/** Prefix after the # in the link that the server prints while there is no administrator. */
const firstPath = '/log-in';

/**
 * Login form, or form for the first administrator. Credentials are exchanged for a cookie and are not stored.
 */
export function LoginPage({ session }: { session: SessionState }): ReactElement {
  const { needsFirst, authorityFingerprint } = session;
  const { pathname, hash } = useLocation();
  const secret = pathname === firstPath ? hash.slice(1) : '';
  const [isToken, setToken] = useState(false);
  return (
    <main className={styles.page}>
      <div className={styles.form}>
        {needsFirst && secret !== '' ? (
          <FirstForm secret={secret} />
        ) : isToken ? (
          <TokenForm onSwitch={() => setToken(false)} />
        ) : (
          <PasswordForm needsFirst={needsFirst} onSwitch={() => setToken(true)} />
        )}
        {authorityFingerprint !== null && <AuthorityNote fingerprint={authorityFingerprint} />}
      </div>
    </main>
  );
}

/** Half of 32 bytes, each written as two digits and a colon. */
const halfLength = 16 * 3;

/** Offers the certificate of the server's own authority, which ends the browser's warning. */
function AuthorityNote({ fingerprint }: { fingerprint: string }): ReactElement {
  return (
    <section className={styles.authority} aria-label="Certificate of this server">
      <p>
        This server signs its own certificate.{' '}
        <a className="link" href={addressOf('GET /tls/authority.pem')} download>
          Download its CA certificate
        </a>{' '}
        and{' '}
        <a
          className="link"
          href={`${documentationFolder}how-to/accounts.html#import-the-ca-certificate`}
          target="_blank"
          rel="noopener"
        >
          import it
        </a>{' '}
        to end the browser’s warning. First compare its SHA-256 fingerprint with the one from your
        administrator:
      </p>
      <p className="mono">
        {fingerprint.slice(0, halfLength)}
        <wbr />
        {fingerprint.slice(halfLength)}
      </p>
    </section>
  );
}

type FormProps = {
  title: string;
  submit: string;
  isReady: boolean;
  isPending: boolean;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  onSwitch?: () => void;
  switchTo?: string;
  children: ReactNode;
};

function Form(props: FormProps): ReactElement {
  const { title, submit, isReady, isPending, onSubmit, onSwitch, switchTo, children } = props;
  return (
    <>
      <title>{`${title} · mqttlab`}</title>
      <form
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) onSubmit(event);
        }}
      >
        <h1 className={styles.brand}>
          <BrandMark /> mqttlab <HelpLink />
        </h1>
        <Panel padded>
          <div className={styles.fields}>
            {children}
            <Button type="submit" loading={isPending} disabled={!isReady}>
              {submit}
            </Button>
            {onSwitch && (
              <Button variant="subtle" size="xs" onClick={onSwitch}>
                {switchTo}
              </Button>
            )}
          </div>
        </Panel>
      </form>
    </>
  );
}

/** After a login, all data is requested again. */
const everything = { changes: [[]] } as const;

/** Returns the error without a field, which is shown under the last field. */
function restOf(error: ApiError | null): FieldProblem | undefined {
  if (!error || error.problem.issues.length > 0) return undefined;
  return { what: error.problem.detail, remedy: error.problem.remedy };
}

type TextProps = {
  label: string;
  /** Value, change and error of the field. */
  input: GetInputPropsReturnType;
  autoComplete: string;
  secret?: boolean;
  hint?: string | undefined;
  /** Shown if the field has no error. */
  problem?: FieldProblem | undefined;
};

/** A text field; secret text is hidden while it is typed. */
function TextField({ label, secret, input, autoComplete, problem, hint }: TextProps): ReactElement {
  const Input = secret ? PasswordInput : TextInput;
  const { error, ...field } = input;
  return (
    <Field label={label} hint={hint} problem={error ?? problem}>
      {(control) => <Input {...field} {...control} autoComplete={autoComplete} spellCheck={false} />}
    </Field>
  );
}

function PasswordForm({ needsFirst, onSwitch }: { needsFirst: boolean; onSwitch: () => void }): ReactElement {
  const form = useApiForm({
    initial: { name: '', password: '' },
    call: useCall('POST /session', everything),
    read: (body) => ({ ok: true, body }),
    args: (body) => ({ body }),
  });
  const { name, password } = form.values;
  return (
    <Form
      title="Log in"
      submit="Log in"
      isReady={name.trim() !== '' && password !== ''}
      isPending={form.isPending}
      onSubmit={form.submit}
      onSwitch={onSwitch}
      switchTo="Log in with an API token"
    >
      {needsFirst && (
        <p className={styles.words}>
          There is no administrator yet. Open the link that the server printed on its console at start-up to
          create one.
        </p>
      )}
      <TextField label="Name" input={form.getInputProps('name')} autoComplete="username" />
      <TextField
        secret
        label="Password"
        input={form.getInputProps('password')}
        autoComplete="current-password"
        problem={restOf(form.error)}
      />
    </Form>
  );
}

function TokenForm({ onSwitch }: { onSwitch: () => void }): ReactElement {
  const form = useApiForm({
    initial: { token: '' },
    call: useCall('POST /session', everything),
    read: (body) => ({ ok: true, body }),
    args: (body) => ({ body }),
  });
  return (
    <Form
      title="Log in"
      submit="Log in"
      isReady={form.values.token !== ''}
      isPending={form.isPending}
      onSubmit={form.submit}
      onSwitch={onSwitch}
      switchTo="Log in with name and password"
    >
      <TextField
        secret
        label="API token"
        hint="A token created by an administrator, or MQTTLAB_ADMIN_TOKEN."
        input={form.getInputProps('token')}
        autoComplete="off"
        problem={restOf(form.error)}
      />
    </Form>
  );
}

function FirstForm({ secret }: { secret: string }): ReactElement {
  const form = useApiForm({
    initial: { name: '', password: '' },
    call: useCall('POST /accounts/first', everything),
    read: (values) => readWith(firstAccountSchema, { secret, ...values }),
    args: (body) => ({ body }),
  });
  const { name, password } = form.values;
  return (
    <Form
      title="Create the first administrator"
      submit="Create account and log in"
      isReady={name.trim() !== '' && password !== ''}
      isPending={form.isPending}
      onSubmit={form.submit}
    >
      <p className={styles.words}>
        This server is reachable from other machines, so it requires a login. Create the first administrator
        account here. Add other accounts under Settings.
      </p>
      <TextField
        label="Name"
        hint="Shown in the activity log."
        input={form.getInputProps('name')}
        autoComplete="username"
      />
      <TextField
        secret
        label="Password"
        hint="At least 10 characters."
        input={form.getInputProps('password')}
        autoComplete="new-password"
        problem={restOf(form.error)}
      />
    </Form>
  );
}
