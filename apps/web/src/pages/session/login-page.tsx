import { Button, PasswordInput } from '@mantine/core';
import type { ApiError } from '@mqttlab/shared/messages/api-client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { api } from '../../api/client.ts';
import { Field } from '../../ui/input/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { BrandMark } from '../../ui/shell/page.tsx';
import styles from './login-page.module.css';

/** Trades an API token for a session cookie; the token itself is not kept. */
export function LoginPage(): ReactElement {
  const client = useQueryClient();
  const [token, setToken] = useState('');
  const login = useMutation<unknown, ApiError, string>({
    mutationFn: (secret) => api.openSession(secret),
    onSuccess: () => client.invalidateQueries(),
  });
  const problem = login.error && { what: login.error.problem.detail, remedy: login.error.problem.remedy };
  return (
    <main className={styles.page}>
      <title>Log in · mqttlab</title>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (token !== '') login.mutate(token);
        }}
      >
        <h1 className={styles.brand}>
          <BrandMark /> mqttlab
        </h1>
        <Panel padded>
          <div className={styles.fields}>
            <Field
              label="API token"
              hint="This server listens beyond its own machine, so it asks who you are."
              problem={problem ?? undefined}
            >
              {(control) => (
                <PasswordInput
                  {...control}
                  value={token}
                  onChange={(event) => setToken(event.currentTarget.value)}
                  autoComplete="current-password"
                  data-autofocus
                />
              )}
            </Field>
            <Button type="submit" loading={login.isPending} disabled={token === ''}>
              Log in
            </Button>
          </div>
        </Panel>
      </form>
    </main>
  );
}
