import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from './arguments.ts';
import type { CommandContext } from './context.ts';

export interface Question {
  text: string;
  /** What to give where nobody can be asked: for a script or CI. */
  otherwise: string;
  /** The answer is a secret and does not appear on the terminal. */
  hidden?: boolean;
}

/** Asks the person at the terminal. Throws UsageError where there is none. */
export async function ask(
  { signal }: Pick<CommandContext, 'signal'>,
  { text, otherwise, hidden = false }: Question,
): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError(otherwise);
  process.stderr.write(text);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: hidden ? nowhere : process.stderr,
    terminal: true,
  });
  try {
    return (await terminal.question('', { signal })).trim();
  } finally {
    terminal.close();
    if (hidden) process.stderr.write('\n');
  }
}
