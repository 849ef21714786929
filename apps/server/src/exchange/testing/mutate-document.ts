type Step = string | number;

/** One value of a document replaced by another. */
export interface Mutation {
  /** "runs.0.metrics.latency.p50 = 1e308", for messages. */
  name: string;
  apply(document: unknown): unknown;
}

const numbers: readonly unknown[] = [
  1e308,
  -1e308,
  1e19,
  1e16,
  253_402_300_800_000,
  Number.MAX_SAFE_INTEGER,
  2 ** 31,
  -1,
  0,
  0.5,
  5e-324,
  'seven',
  null,
];
const texts: readonly unknown[] = [
  '',
  ' ',
  'x'.repeat(60_000),
  'wide words '.repeat(180),
  '\u0000',
  '\ud800',
  '__proto__',
  'constructor',
  '<script>',
  '=1+1',
  '../../etc/passwd',
  7,
  null,
];
/** Maximum tested entries of lists and tables with similar entries. */
const maxAlike = 2;

/** Replaces every number and text of a document by every value that might break its readers. */
export function mutationsOf(document: unknown): Mutation[] {
  return leavesOf(document).flatMap(({ path, value }) =>
    (typeof value === 'number' ? numbers : texts)
      .filter((instead) => instead !== value)
      .map((instead) => ({
        name: `${path.join('.')} = ${String(JSON.stringify(instead)).slice(0, 30)}`,
        apply: (whole) => replaced(whole, path, instead),
      })),
  );
}

function leavesOf(value: unknown, path: readonly Step[] = []): { path: readonly Step[]; value: unknown }[] {
  if (typeof value === 'number' || typeof value === 'string') return [{ path, value }];
  if (Array.isArray(value)) {
    return value.slice(0, maxAlike).flatMap((entry, i) => leavesOf(entry, [...path, i]));
  }
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  const areAlike = ['metrics', 'environment', 'bases', 'buckets'].includes(String(path.at(-1)));
  const tried = areAlike ? entries.filter(([name], i) => i < maxAlike || name === 'latency.p50') : entries;
  return tried.flatMap(([name, entry]) => leavesOf(entry, [...path, name]));
}

function replaced(value: unknown, path: readonly Step[], instead: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return instead;
  if (Array.isArray(value))
    return value.map((entry, i) => (i === step ? replaced(entry, rest, instead) : entry));
  const whole = value as Record<string, unknown>;
  return { ...whole, [step]: replaced(whole[step], rest, instead) };
}
