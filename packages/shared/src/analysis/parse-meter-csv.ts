import Papa from 'papaparse';

/** Rows from a meter that was not connected to the testbed. */
export interface MeterCsv {
  /**
   * `unix`: times in Unix ms. `relative`: ms since the meter was started; the user must specify when that
   * was.
   */
  clock: 'unix' | 'relative';
  rows: { atMs: number; powerW: number }[];
}

export interface MeterCsvIssue {
  /** Line number, starting at 1; the header is line 1. */
  line: number;
  reason: string;
}

/** About 3,000 years in ms; larger numbers have another unit. */
const latest = 1e14;

interface Columns {
  time: number;
  /** Divisor for the values of the column. */
  divisor: number;
  /** Length of one ms in the column's unit; null if it is inferred from the values. */
  perMs: number | null;
  power: { index: number; scale: number } | null;
  voltage: { index: number; scale: number } | null;
  current: { index: number; scale: number } | null;
}

/** Divisor to convert to W, V or A, by unit prefix. */
const prefixes: readonly [RegExp, number][] = [
  [/\bm[wva]\b|milli/i, 1e-3],
  [/(^|[^\p{L}])[uµμ][wva]\b|micro/iu, 1e-6],
  [/\bk[wva]\b|kilo/i, 1e3],
];
/** Length of one ms in the unit named in the header of a time column. */
const timeUnits: readonly [RegExp, number][] = [
  [/\bms\b|\bmsecs?\b|milli/i, 1],
  [/(^|[^\p{L}])[uµμ]s(ecs?)?\b|micro/iu, 1e3],
  [/\bns(ecs?)?\b|nano/i, 1e6],
  [/\bs\b|sec/i, 1e-3],
];

/**
 * Parses CSV exports from bench and USB meters. The header has a time column and power (W or mW), or voltage
 * and current (V, mV, A, mA). Columns are separated by commas, semicolons or tabs; decimal commas are allowed
 * with the latter two. Times are ISO 8601, Unix seconds or ms, or seconds or ms from the start. One invalid
 * line rejects the entire file.
 */
export function parseMeterCsv(text: string): MeterCsv | { issues: MeterCsvIssue[] } {
  const head = /^\uFEFF?([^\r\n]*)/.exec(text)?.[1] ?? '';
  const delimiter = [';', '\t', ','].find((candidate) => head.includes(candidate)) ?? ',';
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, transform: clean });
  const columns = readHead((data[0] ?? []).map(spaceWords));
  if (typeof columns === 'string') return { issues: [{ line: 1, reason: columns }] };

  const issues: MeterCsvIssue[] = errors.map(({ row = 0, message }) => ({ line: row + 1, reason: message }));
  const rows: { time: number; isDate: boolean; powerW: number }[] = [];
  data.forEach((cells, index) => {
    if (index === 0 || cells.every((cell) => cell === '')) return;
    const row = readRow(cells, columns, delimiter !== ',');
    const reason = typeof row === 'string' ? row : orderProblem(rows.at(-1), row);
    if (reason !== null) issues.push({ line: index + 1, reason });
    else if (typeof row !== 'string') rows.push(row);
  });
  if (rows.length < 2 && issues.length === 0)
    issues.push({ line: data.length, reason: 'fewer than two rows' });
  if (issues.length > 0) return { issues };
  return toMeterCsv(rows, columns);
}

function readHead(names: readonly string[]): Columns | string {
  const find = (pattern: RegExp) => names.findIndex((name) => pattern.test(name));
  const scaled = (pattern: RegExp) => {
    const index = find(pattern);
    const prefix = prefixes.find(([unit]) => unit.test(names[index] ?? ''));
    return index < 0 ? null : { index, scale: prefix?.[1] ?? 1 };
  };
  const time = find(/^(time|timestamp|date|t|seconds|elapsed)\b/i);
  if (time < 0) return 'the header has no time column';
  const power = scaled(/^(power|p|watts?|[mkuµμ]?w)\b/i);
  const voltage = scaled(/^(voltage|volts?|u|[mkuµμ]?v)\b/i);
  const current = scaled(/^(current|amps?|i|[mkuµμ]?a)\b/i);
  if (power === null && (voltage === null || current === null)) {
    return 'the header has neither a power column nor voltage and current columns';
  }
  const unit = timeUnits.find(([pattern]) => pattern.test(names[time] ?? ''))?.[1] ?? null;
  // Times finer than ms are converted to ms.
  const divisor = Math.max(1, unit ?? 1);
  return { time, divisor, perMs: unit && unit / divisor, power, voltage, current };
}

function readRow(cells: readonly string[], columns: Columns, decimalComma: boolean) {
  const number = (index: number) => {
    const cell = decimalComma ? (cells[index] ?? '').replace(',', '.') : (cells[index] ?? '');
    return /^[-+]?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(cell) ? Number(cell) : Number.NaN;
  };
  const value = (column: { index: number; scale: number } | null) =>
    column === null ? Number.NaN : number(column.index) * column.scale;
  const powerW =
    columns.power === null ? value(columns.voltage) * value(columns.current) : value(columns.power);
  if (!(powerW >= 0 && powerW < Number.POSITIVE_INFINITY)) return 'power is missing or negative';
  const plain = number(columns.time) / columns.divisor;
  const cell = cells[columns.time] ?? '';
  if (Math.abs(plain) > latest) return `"${cell}" is too large for a time in s or ms`;
  if (!Number.isNaN(plain)) return { time: plain, isDate: false, powerW };
  const date = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(cell) ? Date.parse(cell) : Number.NaN;
  return Number.isNaN(date) ? `"${cell}" is not a time` : { time: date, isDate: true, powerW };
}

function orderProblem(
  before: { time: number; isDate: boolean } | undefined,
  row: { time: number; isDate: boolean } | string,
): string | null {
  if (typeof row === 'string') return row;
  if (before === undefined) return null;
  if (before.isDate !== row.isDate) return 'dates and numbers are mixed';
  return row.time > before.time ? null : 'not later than the row before';
}

/**
 * Unix seconds in this century have ten digits and ms have thirteen; smaller numbers are relative to the
 * start.
 */
function toMeterCsv(rows: { time: number; isDate: boolean; powerW: number }[], columns: Columns): MeterCsv {
  const [{ time: first, isDate } = { time: 0, isDate: false }] = rows;
  const isUnixMs = first > 1e11;
  const isUnixSeconds = !isUnixMs && first > 1e9;
  const toMs = isDate || isUnixMs ? 1 : isUnixSeconds ? 1e3 : 1 / (columns.perMs ?? 1e-3);
  return {
    clock: isDate || isUnixMs || isUnixSeconds ? 'unix' : 'relative',
    rows: rows.map(({ time, powerW }) => ({ atMs: time * toMs, powerW })),
  };
}

/** Splits "time_ms" and "powerW" into "time ms" and "power W" to separate the units. */
function spaceWords(name: string): string {
  return name.replaceAll('_', ' ').replace(/([a-z]{2})([A-Z])/g, '$1 $2');
}

/** Removes quotes after a space, which RFC 4180 does not allow. */
function clean(cell: string): string {
  return cell
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
}
