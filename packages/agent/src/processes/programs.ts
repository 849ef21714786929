import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

interface Answer {
  stdout: string;
  stderr: string;
  /** Exit code; null if the program could not be started or was killed. */
  code: number | null;
  /**
   * Error reported by execFile: the program could not be started, timed out or exited with a code other than
   * 0.
   */
  error: Error | null;
}

/** Timeout for programs that respond immediately, in ms, generous enough for a small board under load. */
const askTimeoutMs = 20_000;
const maxOutputBytes = 2 ** 26;

/** Runs a program that responds immediately and kills it after a timeout. Never rejects. */
export function ask(
  file: string,
  args: readonly string[],
  timeout = askTimeoutMs,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Answer> {
  return new Promise((resolve) => {
    let isLate = false;
    const child = execFile(file, args, { env, maxBuffer: maxOutputBytes }, (error, stdout, stderr) => {
      clearTimeout(timer);
      // Node writes a negative error number here if the program does not exist.
      const { exitCode } = child;
      const code = exitCode !== null && exitCode >= 0 && !isLate ? exitCode : null;
      resolve({ stdout, stderr, code, error: isLate ? new Error(`${file} did not answer in time`) : error });
    });
    // Node's own timeout reports success if the program exits by itself while it is being killed, although
    // its output is lost.
    const timer = setTimeout(() => {
      isLate = true;
      child.kill();
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, timeout);
  });
}

/** Searches the PATH, and folders that are missing from a normal user's PATH. */
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

/** Runs a program and resolves with its output; rejects as execFile does. */
export type RunCommand = (program: string, args: readonly string[]) => Promise<string>;

const timeoutMs = 10_000;

/**
 * Runs a program and kills it if it hangs for ten seconds. Its output is in English, regardless of the
 * device's language.
 */
export const runCommand: RunCommand = async (program, args) => {
  const { stdout, error } = await ask(program, args, timeoutMs, { ...process.env, LC_ALL: 'C' });
  if (error !== null) throw error;
  return stdout;
};

/** Finds a command that sets PR_SET_PDEATHSIG (prctl(2)) through setpriv(1), util-linux 2.33 and later. */
export async function findDeathSignalCommand(): Promise<readonly string[]> {
  const setpriv = await findProgram('setpriv');
  if (setpriv === null) return [];
  const help = await ask(setpriv, ['--help']);
  return help.stdout.includes('--pdeathsig') ? [setpriv, '--pdeathsig', 'TERM', '--'] : [];
}
