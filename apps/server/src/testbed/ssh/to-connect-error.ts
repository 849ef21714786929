import { DeviceError } from './device-error.ts';
import type { SshAddress, SshLogin } from './ssh-session.ts';

interface Attempt extends SshAddress {
  login?: SshLogin;
}

interface Known {
  matches: (error: NodeJS.ErrnoException & { level?: string }) => boolean;
  explain: (attempt: Attempt) => ConstructorParameters<typeof DeviceError>[0];
}

const hasCode =
  (...codes: string[]) =>
  ({ code }: NodeJS.ErrnoException) =>
    codes.includes(code ?? '');

/** What goes wrong while an SSH session is opened, the most telling first. */
const known: readonly Known[] = [
  {
    matches: hasCode('ENOTFOUND', 'EAI_AGAIN'),
    explain: ({ host }) => ({
      code: 'host-unknown',
      message: `No machine is known under the name ${host}.`,
      remedy: 'Check the name, or use its address.',
      field: 'host',
    }),
  },
  {
    matches: hasCode('ECONNREFUSED'),
    explain: ({ host, port }) => ({
      code: 'port-closed',
      message: `${host} refuses connections on port ${port}.`,
      remedy: 'Start sshd there (sudo systemctl enable --now ssh), or correct the port.',
      field: 'port',
    }),
  },
  {
    matches: ({ message }) => message.includes('ECONNRESET'),
    explain: ({ host, port }) => ({
      code: 'turned-away',
      message: `${host}:${port} takes the connection and drops it at once.`,
      remedy:
        'sshd turns an address away for a while after failed logins (PerSourcePenalties): wait a minute and try ' +
        'again. Otherwise see its log: sudo journalctl -u ssh.',
      field: 'host',
    }),
  },
  {
    matches: (error) =>
      hasCode('EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT')(error) ||
      error.level === 'client-timeout' ||
      /timed out/i.test(error.message),
    explain: ({ host, port }) => ({
      code: 'unreachable',
      message: `${host} does not answer on port ${port}.`,
      remedy: 'Check that it is on and in the same network, and that no firewall is between.',
      field: 'host',
    }),
  },
  {
    matches: ({ level }) => level === 'client-authentication',
    explain: ({ host, login }) =>
      login?.kind === 'password'
        ? {
            code: 'password-refused',
            message: `${host} does not accept this password for ${login.user}.`,
            remedy: 'Check user and password; the device may also take keys only (PasswordAuthentication).',
            field: 'login.password',
          }
        : {
            code: 'key-refused',
            message: `${host} does not accept this key for ${login?.user ?? 'this user'}.`,
            remedy:
              'Add its public half to ~/.ssh/authorized_keys of that user, or log in with the password once.',
            field: 'login.privateKey',
          },
  },
  {
    matches: ({ message }) => /privateKey|passphrase|Encrypted/i.test(message),
    explain: () => ({
      code: 'key-unreadable',
      message: 'This private key cannot be read, or its passphrase is wrong.',
      remedy: 'Give a key in OpenSSH or PEM form, and its passphrase where it has one.',
      field: 'login.privateKey',
    }),
  },
];

export function toConnectError(
  error: NodeJS.ErrnoException & { level?: string },
  attempt: Attempt,
): DeviceError {
  const found = known.find(({ matches }) => matches(error));
  if (found) return new DeviceError(found.explain(attempt));
  const { host, port } = attempt;
  return new DeviceError({
    code: 'ssh-failed',
    message: `${host}:${port} does not talk SSH as expected (${error.message}).`,
    remedy:
      'Check that address and port belong to an SSH server; after failed logins, sshd may turn this address away for a minute.',
    field: 'port',
  });
}
