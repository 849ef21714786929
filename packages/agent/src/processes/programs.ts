import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

interface Answer {
  stdout: string;
  stderr: string;
  /** null if the program could not be started or did not end by itself. */
  code: number | null;
  /** As execFile reports it: the program could not be started, timed out or ended with another code than 0. */
  error: Error | null;
}

/** Kill timer of programs that answer at once, ms: what a small board under load may take. */
const askTimeoutMs = 20_000;
const maxOutputBytes = 2 ** 26;

/** Runs a program that answers at once and ends it after a timeout. Never rejects. */
export function ask(
  file: string,
  args: readonly string[],
  timeout = askTimeoutMs,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Answer> {
  return new Promise((resolve) => {
    const options = { timeout, env, maxBuffer: maxOutputBytes };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      // Node writes a negative error number here if there is no such program. A program that ended by itself just before
      // it was killed has lost its output.
      const { exitCode, killed } = child;
      const code = exitCode !== null && exitCode >= 0 && !killed ? exitCode : null;
      resolve({ stdout, stderr, code, error });
    });
  });
}

/** Looks on the PATH and in the folders that a login without root's PATH leaves out. */
export async function findProgram(name: string, path = process.env.PATH ?? ''): Promise<string | null> {
  const folders = [...path.split(':'), '/usr/sbin', '/usr/local/sbin'];
  for (const folder of folders) {
    if (folder !== '' && (await isExecutable(join(folder, name)))) return join(folder, name);
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs a program and resolves with what it printed; rejects as execFile does. */
export type RunCommand = (program: string, args: readonly string[]) => Promise<string>;

const timeoutMs = 10_000;

/** Ends a program that hangs after ten seconds. Its output is in English, whatever the language of the device. */
export const runCommand: RunCommand = async (program, args) => {
  const { stdout, error } = await ask(program, args, timeoutMs, { ...process.env, LC_ALL: 'C' });
  if (error !== null) throw error;
  return stdout;
};

/** PR_SET_PDEATHSIG of prctl(2), through setpriv(1) of util-linux 2.33 and later. */
export async function findDeathSignalCommand(): Promise<readonly string[]> {
  const setpriv = await findProgram('setpriv');
  if (setpriv === null) return [];
  const help = await ask(setpriv, ['--help']);
  return help.stdout.includes('--pdeathsig') ? [setpriv, '--pdeathsig', 'TERM', '--'] : [];
}
