import { spawn } from 'node:child_process';
import { LabError } from './lab-error.ts';

const folders = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface ProgramOptions {
  /** Written to its standard input. */
  input?: string;
  env?: Readonly<Record<string, string>>;
}

/** Runs a program; resolves with its output, or rejects with it if the program fails. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<string> {
  const { code, output, words } = await tryProgram(program, args, options);
  if (code === 0) return output;
  throw new LabError(`${program} ${args.slice(0, 6).join(' ')} failed: ${words.trim().slice(-600)}.`, '');
}

/** Like runProgram, but resolves with any exit code; 127 if the program is missing. */
export function tryProgram(
  program: string,
  args: readonly string[],
  { input = '', env = {} }: ProgramOptions = {},
): Promise<{ code: number; output: string; words: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      env: { ...process.env, PATH: folders, LC_ALL: 'C', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let output = '';
    let words = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.stderr.on('data', (data: Buffer) => (words += data.toString()));
    child.stdin.on('error', () => undefined);
    child.once('error', (error) => resolve({ code: 127, output, words: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output, words: words || output }));
    child.stdin.end(input);
  });
}
