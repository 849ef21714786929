import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import { cipherSuitesTables } from './cipher-suites/published.ts';
import { hecs4mqttTables } from './hecs4mqtt/published.ts';
import type { Holds, PublishedCondition, PublishedTable } from './published-table.ts';
import { rpiBrokerTables } from './rpi-broker/published.ts';
import { stabilityAwareTables } from './stability-aware/published.ts';

/** A published figure, used as reference data and never as an expected value for our measurements. */
export interface PublishedValue {
  study: string;
  /** Table or figure in the study. */
  table: string;
  /** Configuration, as the study names it. */
  treatment: string;
  metric: string;
  unit: string;
  value: number;
  /** True if the text states a lower bound. */
  isAbove: boolean;
  /** Role that the figure belongs to. */
  role: string;
  /** Table, figure or section, and the line in our copy of the full text. */
  place: string;
  line: number;
  /** Words in that line that name the configuration. */
  printed: readonly string[];
  conditions: readonly PublishedCondition[];
  /** Our metric shown next to the value; null if there is no single metric. */
  measuredBy: string | null;
  /** Matches our configuration; null if the section matches by name. */
  holds: Holds | null;
  /** Reason why the figure cannot be compared with ours; null if it can be compared. */
  alone: string | null;
}

const tables: Readonly<Record<string, readonly PublishedTable[]>> = {
  'rpi-broker': rpiBrokerTables,
  'cipher-suites': cipherSuitesTables,
  'stability-aware': stabilityAwareTables,
  hecs4mqtt: hecs4mqttTables,
};

export const publishedValues: readonly PublishedValue[] = Object.entries(tables).flatMap(([study, all]) =>
  all.flatMap((table) => valuesOf(study, table)),
);

function valuesOf(study: string, { table, place, role, conditions, rows, metrics }: PublishedTable) {
  return Object.entries(metrics).flatMap(([metric, { unit, values, ...own }]) =>
    Object.entries(values).map(([treatment, value]): PublishedValue => {
      const row = rows[treatment] ?? {};
      const line = own.line ?? row.line ?? 0;
      const alone = typeof own.alone === 'string' ? own.alone : own.alone?.[treatment];
      return {
        study,
        table,
        treatment,
        metric,
        unit,
        value,
        role,
        place,
        line,
        isAbove: own.isAbove ?? false,
        // A metric with a separate line is not on the line that names the row.
        printed: own.line === undefined ? (row.printed ?? []) : [],
        conditions: [...conditions, ...(own.conditions ?? [])],
        measuredBy: own.measuredBy ?? null,
        holds: row.holds ?? null,
        alone: row.alone ?? alone ?? null,
      };
    }),
  );
}

type Question = Partial<Pick<PublishedValue, 'study' | 'table' | 'metric' | 'treatment' | 'unit'>>;

/** Returns the figures that match a query, in the order of the study. */
export function findPublished(question: Question): PublishedValue[] {
  const wanted = Object.entries(question) as [keyof Question, string][];
  return publishedValues.filter((entry) => wanted.every(([name, value]) => entry[name] === value));
}

/** Returns the figure for a configuration; null if the study has none. */
export function publishedNumber(question: Required<Omit<Question, 'unit'>>): number | null {
  return findPublished(question)[0]?.value ?? null;
}

type Own = Pick<Treatment, 'levels' | 'spec'>;

/**
 * Returns why a published figure cannot be compared with this treatment; null if role, quantity and all stated
 * conditions are the same.
 */
export function whyAlone({ alone, holds, conditions }: PublishedValue, own: Own): string | null {
  if (alone !== null) return alone;
  if (holds && !holds(own)) return 'this configuration was not run here';
  const other = conditions.filter((condition) => condition.holds && !condition.holds(own));
  return other.length === 0 ? null : `different here: ${other.map(({ text }) => text).join('; ')}`;
}

/** Returns the published figure that is comparable with this treatment; null if there is none. */
export function publishedBeside(own: Own, question: Question): PublishedValue | null {
  return findPublished(question).find((value) => whyAlone(value, own) === null) ?? null;
}
