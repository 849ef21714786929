/**
 * Words as one line for a POSIX shell, each of them in single quotes, where nothing has a meaning but the quote
 * itself (POSIX.1-2024 section 2.2.2). Throws for what no argument can hold.
 */
export function quoteShell(words: readonly string[]): string {
  return words
    .map((word) => {
      if (word.includes('\0')) throw new RangeError('an argument cannot hold a NUL character');
      return `'${word.replaceAll("'", `'\\''`)}'`;
    })
    .join(' ');
}
