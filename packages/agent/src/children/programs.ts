import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface Answer {
  stdout: string;
  stderr: string;
  /** null when the program could not be started or did not end by itself. */
  code: number | null;
}

/** Runs a program that answers at once; never rejects, gives up after three seconds. */
export function ask(file: string, args: readonly string[]): Promise<Answer> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { timeout: 3_000 }, (_error, stdout, stderr) => {
      // Node writes a negative error number here when there was no such program.
      const code = child.exitCode !== null && child.exitCode >= 0 ? child.exitCode : null;
      resolve({ stdout, stderr, code });
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

const timeoutMs = 2_000;

/** A program that hangs is ended after two seconds. Its words are English, whatever the device speaks. */
export const runCommand: RunCommand = async (program, args) => {
  const env = { ...process.env, LC_ALL: 'C' };
  const { stdout } = await promisify(execFile)(program, [...args], { timeout: timeoutMs, env });
  return stdout;
};

/** PR_SET_PDEATHSIG of prctl(2), through setpriv(1) of util-linux 2.33 and later. */
export async function findDeathSignalCommand(): Promise<readonly string[]> {
  const setpriv = await findProgram('setpriv');
  if (setpriv === null) return [];
  const help = await ask(setpriv, ['--help']);
  return help.stdout.includes('--pdeathsig') ? [setpriv, '--pdeathsig', 'TERM', '--'] : [];
}
