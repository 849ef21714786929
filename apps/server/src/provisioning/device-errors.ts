import { Failure, type FailureReport, reasonOf } from '@mqttlab/shared/kit/failure';
import type { DeviceFailure } from '@mqttlab/shared/messages/devices';
import { fingerprintOf, type HostKey, type SshAddress, type SshLogin } from './ssh-host.ts';

/** The form field that a failure concerns, by code; a failure's cause may specify another field. */
const fields: Readonly<Record<string, string>> = {
  architecture: 'host',
  'host-key-changed': 'fingerprint',
  'host-unknown': 'host',
  'key-refused': 'login.privateKey',
  'key-unreadable': 'login.privateKey',
  'no-linux': 'host',
  'password-refused': 'login.password',
  'port-closed': 'port',
  'ssh-failed': 'port',
  'sudo-missing': 'user',
  'sudo-password': 'sudoPassword',
  'sudo-password-wrong': 'sudoPassword',
  'turned-away': 'host',
  unreachable: 'host',
};

/** Converts any thrown error to the failure that the device's page shows. */
export function toDeviceFailure(error: unknown): DeviceFailure {
  if (error instanceof Failure) return { ...error.report, field: fieldOf(error) };
  return { code: 'internal', message: reasonOf(error), remedy: 'Try again.', field: null };
}

function fieldOf({ code, cause }: Failure): string | null {
  if (typeof cause === 'object' && cause !== null && 'field' in cause) return String(cause.field);
  return fields[code] ?? null;
}

interface Attempt extends SshAddress {
  login?: SshLogin;
}

interface Known {
  matches: (error: NodeJS.ErrnoException & { level?: string }) => boolean;
  explain: (attempt: Attempt) => FailureReport;
}

const hasCode =
  (...codes: string[]) =>
  ({ code }: NodeJS.ErrnoException) =>
    codes.includes(code ?? '');

/** Errors that occur while an SSH session is being opened, most specific first. */
const known: readonly Known[] = [
  {
    matches: hasCode('ENOTFOUND', 'EAI_AGAIN'),
    explain: ({ host }) => ({
      code: 'host-unknown',
      message: `No machine with the name ${host} was found.`,
      remedy: 'Check the name, or use its address.',
    }),
  },
  {
    matches: hasCode('ECONNREFUSED'),
    explain: ({ host, port }) => ({
      code: 'port-closed',
      message: `${host} refused the connection on port ${port}.`,
      remedy: 'Start sshd there (sudo systemctl enable --now ssh), or correct the port.',
    }),
  },
  {
    matches: ({ message }) => message.includes('ECONNRESET'),
    explain: ({ host, port }) => ({
      code: 'turned-away',
      message: `${host}:${port} accepts the connection and closes it immediately.`,
      remedy:
        'sshd refuses an address for a while after failed logins (PerSourcePenalties): wait a minute and try ' +
        'again. Otherwise check its log: sudo journalctl -u ssh.',
    }),
  },
  {
    matches: (error) =>
      hasCode('EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT')(error) ||
      error.level === 'client-timeout' ||
      /timed out/i.test(error.message),
    explain: ({ host, port }) => ({
      code: 'unreachable',
      message: `${host} does not respond on port ${port}.`,
      remedy: 'Check that it is switched on and in the same network, and that no firewall blocks the port.',
    }),
  },
  {
    matches: ({ level }) => level === 'client-authentication',
    explain: ({ host, login }) =>
      login?.kind === 'password'
        ? {
            code: 'password-refused',
            message: `${host} does not accept this password for ${login.user}.`,
            remedy: 'Check the user and password; the device may accept only keys (PasswordAuthentication).',
          }
        : {
            code: 'key-refused',
            message: `${host} does not accept this key for ${login?.user ?? 'this user'}.`,
            remedy:
              'Add its public key to ~/.ssh/authorized_keys of that user, or log in with the password once.',
          },
  },
  {
    matches: ({ message }) => /privateKey|passphrase|Encrypted/i.test(message),
    explain: () => ({
      code: 'key-unreadable',
      message: 'This private key cannot be read, or its passphrase is wrong.',
      remedy: 'Enter a key in OpenSSH or PEM format, and its passphrase if it has one.',
    }),
  },
];

export function toConnectError(error: NodeJS.ErrnoException & { level?: string }, attempt: Attempt): Failure {
  const found = known.find(({ matches }) => matches(error));
  if (found) return new Failure(found.explain(attempt));
  const { host, port } = attempt;
  return new Failure({
    code: 'ssh-failed',
    message: `${host}:${port} did not respond as an SSH server (${error.message}).`,
    remedy:
      'Check that the address and port belong to an SSH server; after failed logins, sshd may refuse this address for a minute.',
  });
}

export function connectionLost(why = ''): Failure {
  return new Failure({
    code: 'connection-lost',
    message: `The SSH session ended before the work on the device was complete${why === '' ? '' : ` (${why})`}.`,
    remedy: 'Check its network and power, then start again: completed steps are not repeated.',
  });
}

export function hostKeyChanged(about: SshAddress & { pinned: HostKey; shown: Buffer }): Failure {
  const { host, port, pinned, shown } = about;
  return new Failure({
    code: 'host-key-changed',
    message:
      `THE HOST KEY OF ${host}:${port} HAS CHANGED. It is now ${fingerprintOf(shown)}; ` +
      `the pinned key is ${fingerprintOf(pinned.blob)}. Nothing was sent to the device.`,
    remedy:
      'The connection may be intercepted. If the operating system was reinstalled, read the key on the ' +
      'device (ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub) and confirm the new one.',
  });
}

export interface CommandResult {
  /** Exit code; null if the command was killed by a signal. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Creates the failure of a command. Its output names the cause; a full disk is the most likely cause. */
export function commandFailed(words: readonly string[], { code, stderr, stdout }: CommandResult): Failure {
  const said = (stderr.trim() || stdout.trim()).slice(-500);
  if (/No space left on device|Disk quota exceeded/i.test(said)) return diskFull(said);
  if (/Read-only file system/i.test(said)) {
    return new Failure({
      code: 'disk-read-only',
      message: `The device’s disk is not writable: ${said}.`,
      remedy: 'A worn SD card is a common cause. Check it with "dmesg", mount it for writing or replace it.',
    });
  }
  const program = words.find((word) => /^[\w./-]+$/.test(word)) ?? 'A command';
  return new Failure({
    code: 'command-failed',
    message: `${program} exited with ${code ?? 'a signal'} on the device: ${said || 'no output'}.`,
    remedy: 'Fix the reported problem on the device, then start again.',
  });
}

export function diskFull(detail: string): Failure {
  return new Failure({
    code: 'disk-full',
    message: `There is not enough space on the device’s disk: ${detail}.`,
    remedy: 'Free some (sudo apt-get clean, sudo journalctl --vacuum-size=50M), then start again.',
  });
}
