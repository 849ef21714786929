import { entryOf } from '../domain/bounds.ts';
import type { Issue } from '../domain/issue.ts';
import type { Workload } from '../domain/plans/experiment-draft.ts';
import { workloadFieldList as all, workloadKinds, writtenFieldsOf } from '../domain/plans/workload.ts';
import { isRecord, unknownName, type Written } from './written-names.ts';

export const factorsOfUnits: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  B: { b: 1, byte: 1, bytes: 1, kb: 1000, mb: 1e6, kib: 1024, mib: 1024 ** 2 },
  ms: { ms: 1, s: 1000, min: 60_000, h: 3_600_000 },
  s: { ms: 0.001, s: 1, min: 60, h: 3600 },
  '%': { '%': 1 },
  '/s': { '/s': 1, 'readings/s': 1, 'per second': 1 },
  'Mbit/s': { 'mbit/s': 1, 'kbit/s': 0.001, 'gbit/s': 1000 },
};

/**
 * Reads "1 MB" as bytes or "10s" as ms, according to `unit`; returns null if the text is not such an amount.
 */
export function amountOf(text: string, unit: string | null): number | null {
  const found = /^\s*([\d][\d_,]*(?:\.\d+)?)\s*([a-zA-Z%/ ]*?)\s*$/.exec(text);
  if (!found) return null;
  const number = Number(found[1]?.replaceAll(/[_,]/g, ''));
  const word = (found[2] ?? '').toLowerCase();
  if (word === '') return number;
  const scale = entryOf(entryOf(factorsOfUnits, unit ?? '') ?? {}, word);
  return scale === undefined ? null : Math.round(number * scale * 1e6) / 1e6;
}

export function readWorkload(written: unknown, issues: Issue[]): Written {
  if (written === undefined) return {};
  const given = typeof written === 'string' ? { kind: written } : written;
  if (!isRecord(given)) {
    issues.push({
      field: 'workload',
      reason: 'is not a list of fields',
      remedy: `Write its kind: ${workloadKinds.join(', ')}.`,
    });
    return {};
  }
  const { kind: named = 'stream', ...fields } = given;
  const kind = workloadKinds.find((known) => known === named);
  if (kind === undefined) {
    issues.push(unknownName('workload.kind', String(named), workloadKinds));
    return {};
  }
  const own = writtenFieldsOf(kind).map(([, { written: name }]) => name);
  const read = Object.entries(fields).flatMap(([name, value]) => {
    const found = all.find(([id, { written: short }]) => name === short || name === id);
    if (found === undefined) {
      issues.push(unknownName(`workload.${name}`, name, own));
      return [];
    }
    const [id, { kinds, unit, written: short }] = found;
    if (!kinds.includes(kind)) {
      issues.push({
        field: `workload.${name}`,
        reason: `a ${kind} workload has no field “${name}”`,
        remedy: `Omit this field; a ${kind} workload has ${own.join(', ')}.`,
      });
      return [];
    }
    return [[id, readAmount(value, { name, isBare: name === id && name !== short, unit, issues })]];
  });
  return { kind, ...Object.fromEntries(read) };
}

/**
 * Writes a workload in the form that `readWorkload` reads: the fields of its kind, and amounts with their
 * unit.
 */
export function writeWorkload(workload: Workload): Written {
  const fields = writtenFieldsOf(workload.kind).map(([id, { written, unit }]) => {
    const value = workload[id];
    return [written, unit === null ? value : amountIn(Number(value), unit)];
  });
  return { kind: workload.kind, ...Object.fromEntries(fields) };
}

/** "10s", "500ms", "256 MiB". */
function amountIn(value: number, unit: 'ms' | 'B'): string {
  if (unit === 'ms') return value % 1000 === 0 && value > 0 ? `${value / 1000}s` : `${value}ms`;
  return value % 1024 ** 2 === 0 ? `${value / 1024 ** 2} MiB` : `${value} B`;
}

/** Reads an amount. Fields whose name contains no unit need a unit in the value. */
function readAmount(
  value: unknown,
  { name, isBare, unit, issues }: { name: string; isBare: boolean; unit: 'ms' | 'B' | null; issues: Issue[] },
): unknown {
  if (unit === null || isBare) return value;
  const amount = typeof value === 'string' && !/^[\d_,.\s]+$/.test(value) ? amountOf(value, unit) : null;
  if (amount === null) {
    issues.push({
      field: `workload.${name}`,
      reason: `“${String(value)}” has no known unit`,
      remedy: unit === 'ms' ? 'Write, for example, 500ms, 10s or 2min.' : 'Write for example 256 MiB.',
    });
  }
  return amount;
}
