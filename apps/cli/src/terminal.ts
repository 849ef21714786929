import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type CommandContext, usageError } from './cli.ts';

interface Column {
  head: string;
  align?: 'right';
}

export interface Table {
  columns: readonly Column[];
  rows: readonly (readonly string[])[];
}

/** Returns a text table for a terminal; the last column is not padded. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map((column, index) =>
    Math.max(column.head.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, index) => {
        const width = widths[index] ?? 0;
        if (columns[index]?.align === 'right') return cell.padStart(width);
        return index === columns.length - 1 ? cell : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [line(columns.map((column) => column.head)), ...rows.map(line)].join('\n');
}

/** Returns for example "1 h 05 min", "2 min 40 s" or "12 s". */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** Splits text into lines of at most `width` characters; a longer word gets a separate line. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

interface Question {
  text: string;
  /** Remedy shown if standard input is not a terminal, as in a script or CI. */
  otherwise: string;
  /** True if the answer is a secret, which is not echoed on the terminal. */
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

/**
 * Shows a host key and returns true if the user confirms it, by `expected` or by typing the fingerprint or
 * "yes".
 */
export async function confirmHostKey(
  context: Pick<CommandContext, 'signal'>,
  fingerprint: string,
  { expected, otherwise }: { expected: string | undefined; otherwise: string },
): Promise<boolean> {
  const text = 'If the fingerprint is correct, type it or "yes": ';
  const answer = expected ?? (await ask(context, { text, otherwise }));
  return answer === fingerprint || answer === 'yes';
}
