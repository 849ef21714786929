import type { Change } from '@mqttlab/shared/messages/access';

const maxLetters = 120;

/** "before → after" of each field that differs, short enough for a cell. */
export function fieldChanges({ before, after }: Change): { name: string; words: string }[] {
  return Object.keys({ ...before, ...after }).map((name) => {
    const sides = [before, after].map((side) => (side && name in side ? show(side[name]) : null));
    const [from, to] = sides;
    return { name, words: [from, to].filter((side) => side !== null).join(' → ') };
  });
}

function show(value: unknown): string {
  if (value === null || value === '') return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxLetters ? `${text.slice(0, maxLetters - 1)}…` : text;
}

/** The page of what was changed: "/experiments/7"; null where it has none. */
export function pageOf(subject: string): string | null {
  const [, kind = '', id = ''] = subject.split('/');
  if (/^(experiments|devices)$/.test(kind) && id !== '') return `/${kind}/${id}`;
  return null;
}
