import { closest, distance } from 'fastest-levenshtein';
import type { Issue } from '../domain/issue.ts';

export type Written = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Written {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Longer names are not compared, so that invalid files are refused quickly. */
export const maxNames = 60;
const maxNameLetters = 80;

interface Known {
  field: string;
  known: readonly string[];
  issues: Issue[];
}

export function checkNames(written: Written, { field, known, issues }: Known): void {
  for (const name of Object.keys(written).slice(0, maxNames)) {
    if (!known.includes(name)) issues.push(unknownName(`${field}${name}`, name, known));
  }
}

export function unknownName(field: string, longName: string, known: readonly string[]): Issue {
  const name = longName.slice(0, maxNameLetters);
  const nearest = nearestOf(name, known);
  return {
    field,
    reason: nearest === null ? `there is no "${name}"` : `there is no "${name}": did you mean "${nearest}"?`,
    remedy: `Choose among ${known.join(', ')}.`,
  };
}

/**
 * Returns the known word that begins in the same way, or differs in less than half of its letters; null if no
 * word is close.
 */
export function nearestOf(name: string, known: readonly string[]): string | null {
  const plain = fold(name.slice(0, maxNameLetters));
  const begins = known.filter(
    (word) => fold(word) !== '' && (plain.startsWith(fold(word)) || fold(word).startsWith(plain)),
  );
  const longest = begins.toSorted((a, b) => b.length - a.length)[0];
  if (longest !== undefined) return longest;
  const near = closest(plain, known.map(fold));
  const found = known.find((word) => fold(word) === near);
  return found !== undefined && distance(plain, near) <= Math.max(1, Math.ceil(plain.length / 2) - 1)
    ? found
    : null;
}

/** Keeps only letters and digits, in lower case, so that "TLS 1.3" and "tls1.3" become equal. */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
