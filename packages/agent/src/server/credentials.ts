import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { enrolHeaders } from '@mqttlab/shared/messages/agent';

interface CredentialsOptions {
  /** Of this device; null: it enrols. */
  token: string | null;
  /** Good for getting a token of its own; null: it has one. */
  enrolToken: string | null;
  name: string;
  /** Where the token that it gets is kept. */
  path: string;
}

export type Credentials = ReturnType<typeof makeCredentials>;

/** What an agent shows to the server: the token of its device, or the enrolment token until it has one. */
export function makeCredentials({ token, enrolToken, name, path }: CredentialsOptions) {
  let own = token ?? (existsSync(path) ? readFileSync(path, 'utf8').trim() : null);
  return {
    /** Of the next attempt to dial. */
    headers: (): Record<string, string> => ({
      authorization: `Bearer ${own ?? enrolToken ?? ''}`,
      ...(own === null && { [enrolHeaders.name]: name }),
    }),
    /** The server took this device in: kept before anything else is said. Throws where it cannot be kept. */
    keep(answered: string): void {
      writeFileSync(`${path}.new`, `${answered}\n`, { mode: 0o600 });
      renameSync(`${path}.new`, path);
      own = answered;
    },
    /** The server does not know the token: a device that was forgotten there enrols anew. */
    refused(): void {
      if (enrolToken !== null) own = null;
    },
  };
}
