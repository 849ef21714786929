import { Readable } from 'node:stream';
import { DeviceError } from './device-error.ts';
import type { CommandInput, CommandResult, SshSession } from './ssh-session.ts';

/** Runs programs as root on a device. */
export interface Administrator {
  /** As SshSession.run; rejects with DeviceError also when the program fails. */
  run(words: readonly string[], input?: CommandInput): Promise<CommandResult>;
  /** For the report: how root is reached. */
  how: string;
}

/**
 * Finds out how this user becomes root. A sudo that asks gets the password on its standard input, each time anew
 * (-k), so that it never stays behind as a first line of something else. Rejects with DeviceError.
 */
export async function becomeAdministrator(
  session: SshSession,
  user: string,
  sudoPassword: string | null,
): Promise<Administrator> {
  if ((await session.run(['id', '-u'])).stdout.trim() === '0')
    return asRoot(session, { prefix: [], password: null, how: 'logged in as root' });
  const sudo = await session.run(['sudo', '-n', '--', 'true']);
  if (sudo.code === 0)
    return asRoot(session, { prefix: ['sudo', '-n', '--'], password: null, how: 'sudo without a password' });
  if (sudo.code === 127 || /not found/i.test(sudo.stderr)) throw noSudo(user, 'sudo is not installed');
  if (sudoPassword === null) throw wantsPassword(user);
  const asking = ['sudo', '-k', '-S', '-p', '', '--'];
  const tried = await session.run([...asking, 'true'], { input: `${sudoPassword}\n` });
  if (tried.code === 0)
    return asRoot(session, { prefix: asking, password: sudoPassword, how: 'sudo with the password' });
  throw /not in the sudoers|not allowed|may not run/i.test(tried.stderr)
    ? noSudo(user, `${user} is not in sudoers`)
    : wrongPassword(user);
}

function asRoot(
  session: SshSession,
  { prefix, password, how }: { prefix: readonly string[]; password: string | null; how: string },
): Administrator {
  return {
    how,
    async run(words, options = {}) {
      const result = await session.run([...prefix, ...words], {
        ...options,
        input: withPassword(options.input, password),
      });
      if (result.code !== 0) throw commandFailed(words, result);
      return result;
    },
  };
}

function withPassword(
  input: CommandInput['input'] = '',
  password: string | null,
): NonNullable<CommandInput['input']> {
  if (password === null) return input;
  if (typeof input === 'string') return `${password}\n${input}`;
  return Readable.from(behind(`${password}\n`, input));
}

async function* behind(first: string, rest: NodeJS.ReadableStream): AsyncGenerator<Buffer | string> {
  yield first;
  yield* rest;
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
    message: `${program} ended with ${code ?? 'a signal'} on the device: ${said || 'it said nothing'}.`,
    remedy: 'Mend what it names on the device, then start again.',
  });
}

export function diskFull(detail: string): DeviceError {
  return new DeviceError({
    code: 'disk-full',
    message: `There is not enough room on the disk of the device: ${detail}.`,
    remedy: 'Free some (sudo apt-get clean, sudo journalctl --vacuum-size=50M), then start again.',
  });
}

function noSudo(user: string, why: string): DeviceError {
  return new DeviceError({
    code: 'sudo-missing',
    message: `${user} cannot become root: ${why}.`,
    remedy: `Use a user that may (on Raspberry Pi OS: pi), or allow it: as root, "adduser ${user} sudo".`,
    field: 'user',
  });
}

function wantsPassword(user: string): DeviceError {
  return new DeviceError({
    code: 'sudo-password',
    message: `sudo asks ${user} for a password.`,
    remedy: 'Give it for this step; it is used once and not kept.',
    field: 'sudoPassword',
  });
}

function wrongPassword(user: string): DeviceError {
  return new DeviceError({
    code: 'sudo-password-wrong',
    message: `sudo does not accept this password for ${user}, or ${user} may not use it.`,
    remedy: `Check the password; if it is right, allow it: as root, "adduser ${user} sudo".`,
    field: 'sudoPassword',
  });
}
