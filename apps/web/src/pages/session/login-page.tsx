import { Button, PasswordInput, TextInput } from '@mantine/core';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useLocation } from 'react-router';
import { useCall } from '../../api/use-api.ts';
import { Field, type FieldProblem, fieldProblemOf } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { HelpLink } from '../../ui/shell/help-link.tsx';
import { BrandMark } from '../../ui/shell/page.tsx';
import styles from './login-page.module.css';

/** Behind the # of the link that the server prints while there is no administrator. */
const firstPath = '/log-in';

/** Asks who it is, or makes the first administrator; whatever is typed is traded for a cookie and not kept. */
export function LoginPage({ needsFirst }: { needsFirst: boolean }): ReactElement {
  const { pathname, hash } = useLocation();
  const secret = pathname === firstPath ? hash.slice(1) : '';
  const [isToken, setToken] = useState(false);
  if (needsFirst && secret !== '') return <FirstForm secret={secret} />;
  if (isToken) return <TokenForm onSwitch={() => setToken(false)} />;
  return <PasswordForm needsFirst={needsFirst} onSwitch={() => setToken(true)} />;
}

type FormProps = {
  title: string;
  submit: string;
  isReady: boolean;
  isPending: boolean;
  onSubmit: () => void;
  onSwitch?: () => void;
  switchTo?: string;
  children: ReactNode;
};

function Form(props: FormProps): ReactElement {
  const { title, submit, isReady, isPending, onSubmit, onSwitch, switchTo, children } = props;
  return (
    <main className={styles.page}>
      <title>{`${title} · mqttlab`}</title>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) onSubmit();
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
    </main>
  );
}

/** After a login everything is requested again. */
const everything = { changes: [[]] } as const;

/** What is wrong with no field in particular stands under the last one. */
function restOf(error: ApiError | null): FieldProblem | undefined {
  if (!error || error.problem.issues.length > 0) return undefined;
  return { what: error.problem.detail, remedy: error.problem.remedy };
}

type TextProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  autoComplete: string;
  secret?: boolean;
  hint?: string | undefined;
  problem?: FieldProblem | undefined;
};

/** A line of text; a secret one is hidden while it is typed. */
function TextField({ label, secret, value, onChange, autoComplete, ...field }: TextProps): ReactElement {
  const Input = secret ? PasswordInput : TextInput;
  return (
    <Field label={label} {...field}>
      {(control) => (
        <Input
          {...control}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          autoComplete={autoComplete}
          spellCheck={false}
        />
      )}
    </Field>
  );
}

function PasswordForm({ needsFirst, onSwitch }: { needsFirst: boolean; onSwitch: () => void }): ReactElement {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const login = useCall('POST /session', everything);
  return (
    <Form
      title="Log in"
      submit="Log in"
      isReady={name.trim() !== '' && password !== ''}
      isPending={login.isPending}
      onSubmit={() => login.mutate({ body: { name, password } })}
      onSwitch={onSwitch}
      switchTo="Log in with an API token"
    >
      {needsFirst && (
        <p className={styles.words}>
          There is no administrator yet. The server printed a link on its console when it started: open it to
          make one.
        </p>
      )}
      <TextField label="Name" value={name} onChange={setName} autoComplete="username" />
      <TextField
        secret
        label="Password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        problem={restOf(login.error)}
      />
    </Form>
  );
}

function TokenForm({ onSwitch }: { onSwitch: () => void }): ReactElement {
  const [token, setToken] = useState('');
  const login = useCall('POST /session', everything);
  return (
    <Form
      title="Log in"
      submit="Log in"
      isReady={token !== ''}
      isPending={login.isPending}
      onSubmit={() => login.mutate({ body: { token } })}
      onSwitch={onSwitch}
      switchTo="Log in with name and password"
    >
      <TextField
        secret
        label="API token"
        hint="One that an administrator made, or MQTTLAB_ADMIN_TOKEN."
        value={token}
        onChange={setToken}
        autoComplete="off"
        problem={restOf(login.error)}
      />
    </Form>
  );
}

function FirstForm({ secret }: { secret: string }): ReactElement {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const make = useCall('POST /accounts/first', everything);
  return (
    <Form
      title="The first administrator"
      submit="Make the account and log in"
      isReady={name.trim() !== '' && password !== ''}
      isPending={make.isPending}
      onSubmit={() => make.mutate({ body: { secret, name, password } })}
    >
      <p className={styles.words}>
        This server can be reached from other machines, so it asks who you are. Make the account of its first
        administrator; others are made under Settings.
      </p>
      <TextField
        label="Name"
        hint="The log of changes says it beside what you do."
        value={name}
        onChange={setName}
        autoComplete="username"
        problem={fieldProblemOf(make.error, 'name')}
      />
      <TextField
        secret
        label="Password"
        hint="At least 10 characters."
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
        problem={fieldProblemOf(make.error, 'password') ?? restOf(make.error)}
      />
    </Form>
  );
}
