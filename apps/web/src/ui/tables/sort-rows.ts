export type SortDirection = 'ascending' | 'descending';
export type SortValue = number | string | null | undefined;

/** A sorted copy; ties keep their order and missing values stay last in both directions. */
export function sortRows<Row>(
  rows: readonly Row[],
  sortValueOf: (row: Row) => SortValue,
  direction: SortDirection,
): Row[] {
  const sign = direction === 'ascending' ? 1 : -1;
  return [...rows].sort((a, b) => {
    const x = sortValueOf(a);
    const y = sortValueOf(b);
    const missing = Number(isMissing(x)) - Number(isMissing(y));
    if (missing !== 0 || isMissing(x) || isMissing(y)) return missing;
    return sign * compare(x as number | string, y as number | string);
  });
}

function isMissing(value: SortValue): boolean {
  return value === null || value === undefined || (typeof value === 'number' && Number.isNaN(value));
}

function compare(x: number | string, y: number | string): number {
  if (typeof x === 'number' && typeof y === 'number') return x - y;
  return String(x).localeCompare(String(y), 'en', { numeric: true });
}
