import type { Treatment } from '@mqttlab/shared/domain/plans/plan';
import { cipherSuitesTables } from './cipher-suites/published.ts';
import { hecs4mqttTables } from './hecs4mqtt/published.ts';
import type { Holds, PublishedCondition, PublishedTable } from './published-table.ts';
import { rpiBrokerTables } from './rpi-broker/published.ts';
import { stabilityAwareTables } from './stability-aware/published.ts';

/** A figure as it was published: reference data, never what our own measurements are expected to be. */
export interface PublishedValue {
  study: string;
  /** Table or figure of the study. */
  table: string;
  /** Configuration, as the study names it. */
  treatment: string;
  metric: string;
  unit: string;
  value: number;
  /** The text gives a bound: more than this. */
  isAbove: boolean;
  /** Whose figure it is. */
  role: string;
  /** Table, figure or section where it stands, and the line of the full text as it is held. */
  place: string;
  line: number;
  /** Words of that line that name the configuration. */
  printed: readonly string[];
  conditions: readonly PublishedCondition[];
  /** Our metric that the value is shown next to; null if no single one is. */
  measuredBy: string | null;
  /** Which of ours is its configuration; null where the section tells by the name. */
  holds: Holds | null;
  /** Why it never stands beside one of ours; null where it may. */
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
        // A metric with a line of its own stands apart from the words that name the row.
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

/** Figures that answer a question, in the order of the study. */
export function findPublished(question: Question): PublishedValue[] {
  const wanted = Object.entries(question) as [keyof Question, string][];
  return publishedValues.filter((entry) => wanted.every(([name, value]) => entry[name] === value));
}

/** The one figure of a configuration; null where the study gives none. */
export function publishedNumber(question: Required<Omit<Question, 'unit'>>): number | null {
  return findPublished(question)[0]?.value ?? null;
}

type Own = Pick<Treatment, 'levels' | 'spec'>;

/**
 * Why a published figure does not stand beside what this Treatment measured; null where role, quantity and all that
 * the text says of its conditions are the same.
 */
export function whyAlone({ alone, holds, conditions }: PublishedValue, own: Own): string | null {
  if (alone !== null) return alone;
  if (holds && !holds(own)) return 'this configuration was not run here';
  const other = conditions.filter((condition) => condition.holds && !condition.holds(own));
  return other.length === 0 ? null : `not so here: ${other.map(({ text }) => text).join('; ')}`;
}

/** The published figure that may stand beside what this Treatment measured; null where there is none. */
export function publishedBeside(own: Own, question: Question): PublishedValue | null {
  return findPublished(question).find((value) => whyAlone(value, own) === null) ?? null;
}
