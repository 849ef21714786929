import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteShell } from './quote-shell.ts';

/** What a real shell makes of the line. */
function wordsOf(line: string): string[] {
  const { stdout, status } = spawnSync('sh', ['-c', `printf '%s\\0' ${line}`]);
  expect(status).toBe(0);
  return stdout.toString('utf8').split('\0').slice(0, -1);
}

describe('quoteShell', () => {
  it.each([
    ["'; touch /tmp/owned; '"],
    ['$(touch /tmp/owned)'],
    ['`touch /tmp/owned`'],
    ['a\nb'],
    ['-rf'],
    ['*'],
    ['~root'],
    ['\\'],
    ['!!'],
    ['"'],
    [''],
  ])('keeps %j one word', (word) => {
    expect(wordsOf(quoteShell([word, 'next']))).toEqual([word, 'next']);
  });

  it('keeps any words as they are', () => {
    const word = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        expect(wordsOf(quoteShell(words))).toEqual(words);
      }),
      { numRuns: 60 },
    );
  });

  it('refuses what no argument can hold', () => {
    expect(() => quoteShell(['a\0b'])).toThrow('NUL');
  });
});
