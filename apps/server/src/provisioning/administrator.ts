import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { Failure } from '@mqttlab/shared/kit/failure';
import { type CommandResult, commandFailed, diskFull } from './device-errors.ts';
import type { TravelFile } from './runtime-files.ts';
import type { CommandInput, SshSession } from './ssh-session.ts';

/** Runs programs as root on a device. */
export interface Administrator {
  /** As SshSession.run; rejects with Failure also when the program fails. */
  run(words: readonly string[], input?: CommandInput): Promise<CommandResult>;
  /** The same for a script of ours; its arguments are $1, $2 and so on. */
  runScript(script: string, args: readonly string[], input?: CommandInput): Promise<CommandResult>;
  /** For the report: how root is reached. */
  how: string;
}

/**
 * Finds out how this user becomes root. A sudo that asks receives the password on its standard input, each time
 * (-k), so that it never stays behind as a first line of something else. Rejects with Failure.
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
  const run = async (words: readonly string[], options: CommandInput = {}): Promise<CommandResult> => {
    const input = withPassword(options.input, password);
    const result = await session.run([...prefix, ...words], { ...options, input });
    if (result.code !== 0) throw commandFailed(words, result);
    return result;
  };
  const runScript: Administrator['runScript'] = (script, args, options) =>
    run(['sh', '-c', script, 'mqttlab', ...args], options);
  return { how, run, runScript };
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

function noSudo(user: string, why: string): Failure {
  return new Failure({
    code: 'sudo-missing',
    message: `${user} cannot become root: ${why}.`,
    remedy: `Use a user that may (on Raspberry Pi OS: pi), or allow it: as root, "adduser ${user} sudo".`,
  });
}

function wantsPassword(user: string): Failure {
  return new Failure({
    code: 'sudo-password',
    message: `sudo asks ${user} for a password.`,
    remedy: 'Give it for this step; it is used once and not kept.',
  });
}

function wrongPassword(user: string): Failure {
  return new Failure({
    code: 'sudo-password-wrong',
    message: `sudo does not accept this password for ${user}, or ${user} may not use it.`,
    remedy: `Check the password; if it is right, allow it: as root, "adduser ${user} sudo".`,
  });
}

const copyTimeoutMs = 600_000;
/** What must stay free for results, beside the file. */
const spareBytes = 30_000_000;

const checkScript = `
if [ -f "$1" ] && [ "$(sha256sum < "$1")" = "$2  -" ]; then echo same; else echo other; fi
mkdir -p "\${1%/*}"
df -Pk "\${1%/*}" | awk 'NR == 2 { print $4 * 1024 }'
`;

/** Under another name until it is known to be whole; a copy that breaks off leaves nothing. */
const copyScript = `
set -eu
umask 022
part="$1.part"
trap 'rm -f "$part"' EXIT
gzip -dc > "$part"
[ "$(sha256sum < "$part")" = "$2  -" ] || { echo "the copy differs from what was sent" >&2; exit 1; }
chmod "$3" "$part"
chown root:root "$part"
mv -f "$part" "$1"
`;

/**
 * Puts a file of root's on the device unless one with this checksum is there already; the checksum is taken on the
 * device, from what its disk then holds. False where nothing had to be copied. Rejects with Failure.
 */
export async function copyFile(
  administrator: Administrator,
  file: TravelFile,
  target: { path: string; mode: '0755' | '0644' },
): Promise<boolean> {
  const { stdout } = await administrator.runScript(checkScript, [target.path, file.sha256]);
  const [state, free] = stdout.trim().split('\n');
  if (state === 'same') return false;
  if (Number(free) < file.bytes + spareBytes) {
    const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
    throw diskFull(
      `${target.path} needs ${megabytes(file.bytes + spareBytes)}, ${megabytes(Number(free))} are free`,
    );
  }
  const input = createReadStream(file.packedPath);
  const args = [target.path, file.sha256, target.mode];
  await administrator.runScript(copyScript, args, { input, timeoutMs: copyTimeoutMs });
  return true;
}
