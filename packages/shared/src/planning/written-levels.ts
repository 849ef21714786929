import { factors } from '../catalogue/factors.ts';
import type { TestbedView } from '../domain/devices/testbed-view.ts';
import type { FactorDefinition, FactorValue } from '../domain/factor.ts';
import type { Issue } from '../domain/issue.ts';
import { fold, isRecord, maxNames, nearestOf, unknownName, type Written } from './written-names.ts';
import { amountOf } from './written-workload.ts';

/** Maximum number of levels of one factor in a draft. */
export const maxLevels = 200;

interface Place {
  /** Path of the list: "factors". */
  field: string;
  testbed: TestbedView;
  issues: Issue[];
}

/** Reads levels by factor, with informal names, for the varied factors or for combinations. */
export function readLevels(
  written: unknown,
  { field, testbed, issues }: Place,
): Record<string, FactorValue[]> {
  if (!isRecord(written) || Object.keys(written).length === 0) {
    issues.push({
      field,
      reason: field === 'factors' ? 'is missing: a plan needs factors to vary' : 'names no factor',
      remedy: `Write, for example, "${field.replace(/.*\./, '')}:" and, below it, "security: [plain, tls1.3]".`,
    });
    return {};
  }
  const read: Record<string, FactorValue[]> = {};
  for (const [name, levels] of Object.entries(written).slice(0, maxNames)) {
    const here = `${field}.${name}`;
    const factor = factors.find(
      ({ id, label }) => id === name || fold(id) === fold(name) || fold(label) === fold(name),
    );
    const list = Array.isArray(levels) ? levels : [levels];
    if (!factor) {
      issues.push(
        unknownName(
          here,
          name,
          factors.map(({ id }) => id),
        ),
      );
    } else if (read[factor.id]) {
      issues.push({
        field: here,
        reason: `${factor.label} is listed twice`,
        remedy: 'Put its levels in one list.',
      });
    } else if (list.length === 0 || list.length > maxLevels) {
      issues.push({
        field: here,
        reason: `has ${list.length} levels`,
        remedy: `Choose 1 to ${maxLevels}, or omit the factor.`,
      });
    } else {
      read[factor.id] = list.flatMap((level, index) =>
        readLevel(level, { factor, field: `${field}.${factor.id}[${index}]`, testbed, issues, all: written }),
      );
    }
  }
  return read;
}

interface LevelPlace extends Place {
  factor: FactorDefinition;
  all: Written;
}

/**
 * Reads one level, or all levels that a word names ("aes-256-gcm" names the suites of both TLS versions if
 * both vary).
 */
function readLevel(written: unknown, { factor, field, testbed, issues, all }: LevelPlace): FactorValue[] {
  const exact = factor.schema.safeParse(written);
  const options = factor.options(testbed).map(({ value }) => value);
  if (exact.success && (typeof written === 'number' || options.includes(exact.data))) return [exact.data];
  const number = numberOf(written, factor);
  const meant =
    number !== null
      ? numbersMeant(number, factor, options)
      : options.filter((value) => wordsFor(factor, value, testbed).includes(fold(String(written))));
  const isKnown = number !== null || typeof written === 'string';
  if (isKnown && meant.length > 0) return meantOf(meant, { factor, testbed, all });
  if (exact.success && number === null) return [exact.data];
  const known = options.map((value) => factor.shortLabel(value, testbed));
  const nearest = nearestOf(String(written), known);
  issues.push({
    field,
    reason: `“${String(written)}” is not a level of ${factor.label}${nearest === null ? '' : `: did you mean “${nearest}”?`}`,
    remedy: rangeOf(factor) ?? `Choose among ${known.join(', ')}.`,
  });
  return [];
}

/** Reads "10", "1 MB" or -1 as a number in the factor's unit; returns null for a word. */
function numberOf(written: unknown, { input, unit }: FactorDefinition): number | null {
  if (typeof written === 'number') return written;
  if (typeof written !== 'string') return null;
  const amount = amountOf(written, unit);
  if (amount !== null) return amount;
  // Text that begins like a number is a number, even with an unknown unit or a sign; it never matches a word
  // by its digits.
  if (input.kind === 'number') return /^\s*[-+.]?\d/.test(written) ? Number.NaN : null;
  return /^\s*[-+]/.test(written) ? Number.NaN : null;
}

/** Returns the levels that a number means: a version "5.0" is also the number 5. */
function numbersMeant(
  number: number,
  { input, schema }: FactorDefinition,
  options: readonly FactorValue[],
): FactorValue[] {
  if (input.kind === 'number') return schema.safeParse(number).success ? [number] : [];
  return options.filter((value) => Number(value) === number);
}

function meantOf(
  meant: FactorValue[],
  { factor, testbed, all }: Pick<LevelPlace, 'factor' | 'testbed' | 'all'>,
): FactorValue[] {
  const fitting = meant.filter((value) => goesWith(factor, value, { testbed, all }));
  // A short word only names levels without a caution, such as suites with forward secrecy.
  const sound = fitting.filter((value) => (factor.caution?.(value) ?? null) === null);
  if (sound.length > 0) return sound;
  return fitting.length > 0 ? fitting : meant;
}

/** Returns the folded names of a level. A TLS 1.2 suite can also be named by its cipher alone. */
export function wordsFor(factor: FactorDefinition, value: FactorValue, testbed: TestbedView): string[] {
  const short = factor.shortLabel(value, testbed);
  const names = [String(value), factor.levelLabel(value, testbed), short];
  return [...names, ...(factor.section ? [short.split(' ')[0] ?? ''] : [])]
    .filter((name) => factor.input.kind === 'choice' || !/^\d/.test(name))
    .map(fold)
    .filter((word) => word !== '');
}

/** Suites must belong to a TLS version that the plan varies. */
function goesWith(
  factor: FactorDefinition,
  value: FactorValue,
  { testbed, all }: Pick<LevelPlace, 'testbed' | 'all'>,
): boolean {
  const security = factors.find(({ id }) => id === 'security');
  if (!security || factor.id !== 'cipherSuite') return true;
  const named = Object.entries(all).find(([name]) => fold(name) === 'security')?.[1];
  if (named === undefined) return true;
  const asked = (Array.isArray(named) ? named : [named]).map((level) => fold(String(level)));
  return asked.includes(fold(factor.section?.(value) ?? '')) && factor.refuse(value, {}, testbed) === null;
}

function rangeOf({ input, unit }: FactorDefinition): string | null {
  return input.kind === 'number'
    ? `Choose a number from ${input.min} to ${input.max}${unit ? ` ${unit}` : ''}.`
    : null;
}
