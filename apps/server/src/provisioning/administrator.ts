import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { Failure } from '@mqttlab/shared/kit/failure';
import { type CommandResult, commandFailed, diskFull } from './device-errors.ts';
import type { TravelFile } from './runtime-files.ts';
import type { CommandInput, SshSession } from './ssh-session.ts';

/** Runs programs as root on a device. */
export interface Administrator {
  /** Like SshSession.run; also rejects with Failure if the program fails. */
  run(words: readonly string[], input?: CommandInput): Promise<CommandResult>;
  /** Runs a shell script in the same way; its arguments are $1, $2 and so on. */
  runScript(script: string, args: readonly string[], input?: CommandInput): Promise<CommandResult>;
  /** How root access is obtained, for the report. */
  how: string;
}

/**
 * Determines how this user becomes root. If sudo requires a password, it receives the password on its
 * standard input each time (-k), so that the password is never left as input for another program. Rejects
 * with Failure.
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
    remedy: `Use a user with sudo rights (on Raspberry Pi OS: pi), or grant them: as root, "adduser ${user} sudo".`,
  });
}

function wantsPassword(user: string): Failure {
  return new Failure({
    code: 'sudo-password',
    message: `sudo requires a password for ${user}.`,
    remedy: 'Enter it for this step; it is used once and not stored.',
  });
}

function wrongPassword(user: string): Failure {
  return new Failure({
    code: 'sudo-password-wrong',
    message: `sudo does not accept this password for ${user}, or ${user} is not allowed to use sudo.`,
    remedy: `Check the password. If it is correct, grant sudo rights: as root, "adduser ${user} sudo".`,
  });
}

const copyTimeoutMs = 600_000;
/** Space to keep free for results, in addition to the file, in bytes. */
const spareBytes = 30_000_000;

const checkScript = `
if [ -f "$1" ] && [ "$(sha256sum < "$1")" = "$2  -" ]; then echo same; else echo other; fi
mkdir -p "\${1%/*}"
df -Pk "\${1%/*}" | awk 'NR == 2 { print $4 * 1024 }'
`;

/**
 * Written under a temporary name until its checksum is verified; an interrupted copy leaves nothing behind.
 */
const copyScript = `
set -eu
umask 022
part="$1.part"
trap 'rm -f "$part"' EXIT
gzip -dc > "$part"
[ "$(sha256sum < "$part")" = "$2  -" ] || { echo "the copy differs from the sent file" >&2; exit 1; }
chmod "$3" "$part"
chown root:root "$part"
mv -f "$part" "$1"
`;

/**
 * Copies a root-owned file to the device unless a file with this checksum exists. The checksum is computed on
 * the device, from the content of its disk. Resolves with false if nothing had to be copied. Rejects with
 * Failure.
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
      `${target.path} needs ${megabytes(file.bytes + spareBytes)}, but only ${megabytes(Number(free))} are free`,
    );
  }
  const input = createReadStream(file.packedPath);
  const args = [target.path, file.sha256, target.mode];
  await administrator.runScript(copyScript, args, { input, timeoutMs: copyTimeoutMs });
  return true;
}
