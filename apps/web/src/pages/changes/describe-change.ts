import type { Change } from '@mqttlab/shared/messages/access';
import { formatDateTime } from '../../ui/format.ts';

const maxLetters = 120;

/** Returns "before → after" for each field that differs, short enough for a table cell. */
export function fieldChanges({ before, after }: Change): { name: string; words: string }[] {
  // For a created object, lists only fields that have a value.
  const isSaid = (name: string) => before !== null || !isNothing(after?.[name]);
  return Object.keys({ ...before, ...after })
    .filter(isSaid)
    .map((name) => {
      const sides = [before, after].map((side) => (side && name in side ? show(name, side[name]) : null));
      const [from, to] = sides;
      return { name, words: [from, to].filter((side) => side !== null).join(' → ') };
    });
}

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

function show(name: string, value: unknown): string {
  if (isNothing(value)) return 'nothing';
  if (name.endsWith('At') && typeof value === 'number') return formatDateTime(value);
  const isWords = Array.isArray(value) && value.every((item) => typeof item === 'string');
  const text = isWords ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxLetters ? `${text.slice(0, maxLetters - 1)}…` : text;
}

/** Returns the page of a changed object, such as "/experiments/7"; null if it has none. */
export function pageOf(subject: string): string | null {
  const [, kind = '', id = ''] = subject.split('/');
  if (/^(experiments|devices)$/.test(kind) && id !== '') return `/${kind}/${id}`;
  return null;
}
