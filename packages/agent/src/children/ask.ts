import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

export interface Answer {
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
