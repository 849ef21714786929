import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type CommandContext, usageError } from './cli.ts';

export interface Question {
  text: string;
  /** The remedy if standard input is no terminal, as in a script or CI. */
  otherwise: string;
  /** The answer is a secret and does not appear on the terminal. */
  hidden?: boolean;
}

/** Asks the user at the terminal. Throws a usage error if there is no terminal. */
export async function ask(
  { signal }: Pick<CommandContext, 'signal'>,
  { text, otherwise, hidden = false }: Question,
): Promise<string> {
  if (!process.stdin.isTTY) throw usageError(otherwise);
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

/** Shows a host key and returns true if the user confirms it: by `expected`, or by typing it or "yes". */
export async function confirmHostKey(
  context: Pick<CommandContext, 'signal'>,
  fingerprint: string,
  { expected, otherwise }: { expected: string | undefined; otherwise: string },
): Promise<boolean> {
  const text = 'Type it, or "yes", if it is the right one: ';
  const answer = expected ?? (await ask(context, { text, otherwise }));
  return answer === fingerprint || answer === 'yes';
}
