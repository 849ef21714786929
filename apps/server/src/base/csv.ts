export type CsvValue = string | number | boolean | null;

/**
 * Returns CSV according to RFC 4180, with a header line. Texts that a spreadsheet would run as a formula are
 * prefixed with an apostrophe.
 */
export function makeCsv(header: readonly string[], rows: Iterable<readonly CsvValue[]>): string {
  const lines = [csvLine(header)];
  for (const row of rows) lines.push(csvLine(row));
  return lines.join('');
}

/** Returns one row with its line end. */
export function csvLine(row: readonly CsvValue[]): string {
  return `${row.map(quote).join(',')}\r\n`;
}

function quote(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const harmless = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Returns a time in Unix ms as ISO 8601 in UTC; null without a time. */
export function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
