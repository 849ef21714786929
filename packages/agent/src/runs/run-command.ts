import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a program and resolves with what it printed; rejects as execFile does. */
export type RunCommand = (program: string, args: readonly string[]) => Promise<string>;

const timeoutMs = 2_000;

/** A program that hangs is ended after two seconds. Its words are English, whatever the device speaks. */
export const runCommand: RunCommand = async (program, args) => {
  const env = { ...process.env, LC_ALL: 'C' };
  const { stdout } = await promisify(execFile)(program, [...args], { timeout: timeoutMs, env });
  return stdout;
};
