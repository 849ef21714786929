import type { DeviceFailure } from '@mqttlab/shared/messages/devices';
import { fingerprintOf, type HostKey, type SshAddress, type SshLogin } from './ssh-host.ts';

/** Why work on a device failed, in words for the user. */
export class DeviceError extends Error {
  readonly failure: DeviceFailure;

  constructor(failure: Omit<DeviceFailure, 'field'> & { field?: string }) {
    super(failure.message);
    this.name = 'DeviceError';
    this.failure = { ...failure, field: failure.field ?? null };
  }
}

/** Of anything that was thrown. */
export function toDeviceFailure(error: unknown): DeviceFailure {
  if (error instanceof DeviceError) return error.failure;
  return {
    code: 'internal',
    message: error instanceof Error ? error.message : String(error),
    remedy: 'Try again.',
    field: null,
  };
}

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
      message: `${host}:${port} accepts the connection and closes it at once.`,
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
      remedy: 'Give a key in OpenSSH or PEM form, and its passphrase if it has one.',
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

export function connectionLost(why = ''): DeviceError {
  return new DeviceError({
    code: 'connection-lost',
    message: `The SSH session ended before the device was done${why === '' ? '' : ` (${why})`}.`,
    remedy: 'Check its network and power, then start again: what is done already is not done twice.',
  });
}

export function hostKeyChanged(about: SshAddress & { pinned: HostKey; shown: Buffer }): DeviceError {
  const { host, port, pinned, shown } = about;
  return new DeviceError({
    code: 'host-key-changed',
    message:
      `THE HOST KEY OF ${host}:${port} HAS CHANGED. It is ${fingerprintOf(shown)}; ` +
      `pinned is ${fingerprintOf(pinned.blob)}. Nothing was sent to it.`,
    remedy:
      'Somebody may be between you and the device. If its system was installed anew, look at the key on the device ' +
      '(ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub) and confirm the new one.',
    field: 'fingerprint',
  });
}

export interface CommandResult {
  /** null where a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The words of a failed command name the cause; a full disk is the one to expect. */
export function commandFailed(
  words: readonly string[],
  { code, stderr, stdout }: CommandResult,
): DeviceError {
  const said = (stderr.trim() || stdout.trim()).slice(-500);
  if (/No space left on device|Disk quota exceeded/i.test(said)) return diskFull(said);
  if (/Read-only file system/i.test(said)) {
    return new DeviceError({
      code: 'disk-read-only',
      message: `The disk of the device cannot be written: ${said}.`,
      remedy: 'A worn SD card does this. Check it with "dmesg", mount it for writing or replace it.',
    });
  }
  const program = words.find((word) => /^[\w./-]+$/.test(word)) ?? 'A command';
  return new DeviceError({
    code: 'command-failed',
    message: `${program} ended with ${code ?? 'a signal'} on the device: ${said || 'no output'}.`,
    remedy: 'Fix what it names on the device, then start again.',
  });
}

export function diskFull(detail: string): DeviceError {
  return new DeviceError({
    code: 'disk-full',
    message: `There is not enough room on the disk of the device: ${detail}.`,
    remedy: 'Free some (sudo apt-get clean, sudo journalctl --vacuum-size=50M), then start again.',
  });
}
