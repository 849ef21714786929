import Papa from 'papaparse';
import type { Issue } from '../domain/issue.ts';
import type { ForeignRun } from '../messages/foreign.ts';

/** Columns of a table of measurements, by their headers. */
export interface TableMapping {
  /** Column by metric id. */
  metrics: Readonly<Record<string, string>>;
  /** Column with the treatment's name; null if all runs have the same treatment. */
  treatment: string | null;
  /** Column with the start time in ISO 8601 or Unix ms; null if there is none. */
  startedAt: string | null;
}

export type ReadForeign = { ok: true; runs: ForeignRun[] } | { ok: false; issues: Issue[] };

/** Treatment for runs without a treatment name. */
const onlyTreatment = 'All runs';
const maxIssues = 20;

/**
 * Reads a CSV with one row for each run, separated by commas, semicolons or tabs. An empty cell is a missing value.
 * Returns every invalid cell with its line and column. Pure.
 *
 *     readTable('mode;ms\nplain;1.2\n', { metrics: { 'latency.p50': 'ms' }, treatment: 'mode', startedAt: null })
 */
export function readTable(text: string, mapping: TableMapping): ReadForeign {
  const { data, meta } = Papa.parse<string[]>(text.replace(/^\uFEFF/, '').trimEnd(), {
    skipEmptyLines: 'greedy',
    delimitersToGuess: [',', ';', '\t'],
  });
  const [head = [], ...rows] = data.map((cells) => cells.map((cell) => cell.trim()));
  const issues: Issue[] = [];
  const placeOf = (column: string, field: string): number => {
    const place = head.indexOf(column);
    if (place >= 0) return place;
    issues.push({
      field,
      reason: `the file has no column "${column}"`,
      remedy: `Choose one of ${head.map((name) => `"${name}"`).join(', ')}.`,
    });
    return place;
  };
  const columns = Object.entries(mapping.metrics).map(([id, column]) => ({
    id,
    column,
    place: placeOf(column, `--map ${id}`),
  }));
  const treatmentAt = mapping.treatment === null ? null : placeOf(mapping.treatment, '--treatment');
  const startedAt = mapping.startedAt === null ? null : placeOf(mapping.startedAt, '--started-at');
  if (issues.length > 0) return { ok: false, issues };

  // With any other separator, a comma is a decimal comma.
  const isDecimalComma = meta.delimiter !== ',';
  const runs = rows.map((cells, index): ForeignRun => {
    const line = index + 2;
    const refuse = (column: string, reason: string, remedy: string) =>
      issues.push({ field: `line ${line}, column "${column}"`, reason, remedy });
    const treatment = treatmentAt === null ? onlyTreatment : (cells[treatmentAt] ?? '');
    if (treatment === '') {
      refuse(mapping.treatment ?? '', 'is empty', 'Specify the treatment of every run.');
    }
    const values = columns.flatMap(({ id, column, place }) => {
      const cell = cells[place] ?? '';
      if (cell === '') return [];
      const value = Number(isDecimalComma ? cell.replace(',', '.') : cell);
      if (Number.isFinite(value)) return [[id, value] as const];
      refuse(column, `"${cell.slice(0, 40)}" is not a number`, 'Write numbers without a unit.');
      return [];
    });
    const time = startedAt === null ? null : parseTime(cells[startedAt] ?? '');
    if (Number.isNaN(time)) {
      refuse(mapping.startedAt ?? '', 'is not a time', 'Write times as 2026-11-22T14:05:00Z or in Unix ms.');
    }
    return { treatment, metrics: Object.fromEntries(values), ...(time === null ? {} : { startedAt: time }) };
  });
  if (rows.length === 0) {
    issues.push({ field: 'file', reason: 'has no rows', remedy: 'Write one row for each run.' });
  }
  return issues.length > 0 ? { ok: false, issues: issues.slice(0, maxIssues) } : { ok: true, runs };
}

/** Returns null if the cell is empty, NaN if it is not a time. */
function parseTime(cell: string): number | null {
  if (cell === '') return null;
  return /^\d{9,16}$/.test(cell) ? Number(cell) : Date.parse(cell);
}
