export interface Tolerance {
  abs: number;
  rel: number;
}

export interface GoldenMismatch {
  /** Path inside `expect`, such as `adf.crit.5%` or `acf[3]`. */
  field: string;
  expected: unknown;
  got: unknown;
}

export interface TreeRules {
  /** Tolerance of a number by its path. */
  tolerance: (path: string) => Tolerance;
  /** Paths that only inform. */
  ignored?: RegExp;
}

/**
 * Returns the differences between an expected and a computed tree. Every expected field must exist; an expected
 * null (undefined mathematically) must be absent, null or not finite; numbers pass within
 * abs + rel |expected|. Fields that only `got` has are fine.
 */
export function compareTree(expected: unknown, got: unknown, rules: TreeRules): GoldenMismatch[] {
  return compareAt({ path: '', expected, got }, rules);
}

interface Pair {
  path: string;
  expected: unknown;
  got: unknown;
}

function compareAt({ path, expected, got }: Pair, rules: TreeRules): GoldenMismatch[] {
  if (rules.ignored?.test(path)) return [];
  const mismatch: GoldenMismatch[] = [{ field: path, expected, got }];
  if (expected === null) return isAbsent(got) ? [] : mismatch;
  if (typeof expected === 'number') {
    return typeof got === 'number' && isWithin(got, expected, rules.tolerance(path)) ? [] : mismatch;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) return mismatch;
    return expected.flatMap((entry: unknown, i) =>
      compareAt({ path: `${path}[${i}]`, expected: entry, got: got[i] }, rules),
    );
  }
  if (typeof expected === 'object') {
    if (typeof got !== 'object' || got === null) return mismatch;
    const fields = new Map<string, unknown>(Object.entries(got));
    return Object.entries(expected).flatMap(([key, entry]) =>
      compareAt({ path: path === '' ? key : `${path}.${key}`, expected: entry, got: fields.get(key) }, rules),
    );
  }
  return expected === got ? [] : mismatch;
}

/** The comparison rule of the reference vectors; false for NaN. */
export function isWithin(got: number, expected: number, { abs, rel }: Tolerance): boolean {
  return Math.abs(got - expected) <= abs + rel * Math.abs(expected);
}

function isAbsent(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && Object.values(value).every(isAbsent);
}

/** Tolerances by the first matching pattern; without one a number must match exactly. */
export function tolerances(table: readonly (readonly [RegExp, number, number])[]): TreeRules['tolerance'] {
  return (path) => {
    const row = table.find(([pattern]) => pattern.test(path));
    return row === undefined ? { abs: 0, rel: 0 } : { abs: row[1], rel: row[2] };
  };
}
