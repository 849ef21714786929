import * as z from 'zod';
import { formatCount, formatExact } from '../format/number.ts';

/** Limits of numbers and texts in all external input and stored data: requests, agents, bundles, files, database. */

/** Last Unix ms of the years with four digits. */
export const latestInstantMs = 253_402_300_799_999;

export const instantMs = z
  .number()
  .min(0, 'needs a time from 1970 on')
  .max(latestInstantMs, 'must be a time before the year 10000');

/** Measured values, whose squares and sums of squares stay far below the limits of a double. */
export const largestMeasure = 1e18;

/**
 * Formats a range: "1 to 65,535", "0.1 to 20". Does not use Intl, because this code is executed at every
 * start of an agent process.
 */
export function rangeWords(least: number, most: number): string {
  return `${formatExact(least)} to ${formatExact(most)}`;
}

/** Limits a number to a range; the error names the range: "needs 1 to 65,535". */
export function within<Schema extends z.ZodNumber>(schema: Schema, least: number, most: number): Schema {
  const error = `needs ${rangeWords(least, most)}`;
  return schema.min(least, error).max(most, error);
}

/** Limits the length of a text; the error names the limit. */
export const textFrom = (least: number, most: number): z.ZodString =>
  z
    .string()
    .min(least, `must have at least ${formatCount(least)} characters`)
    .max(most, `must have at most ${formatCount(most)} characters`);

/** TCP port. */
export const portNumber = within(z.int('needs a whole number'), 1, 65_535);

export const measure = z.number().min(-largestMeasure).max(largestMeasure);

export const count = z.int().min(0);

/** Limits for trials, repetitions and attempts, far above any plan. */
export const ordinal = z.int().min(1).max(1_000_000);

/** Database ids. */
export const rowId = z.int().min(1);

export const textBounds = {
  /** Ids, units, names of metrics and devices. */
  word: 200,
  /** Names of configurations, which contain every varied level. */
  label: 2000,
  sentence: 4000,
  /** Configuration files, lists of CPU features. */
  document: 200_000,
} as const;

export const word = z.string().max(textBounds.word);
export const label = z.string().max(textBounds.label);
export const sentence = z.string().max(textBounds.sentence);
export const documentText = z.string().max(textBounds.document);

/**
 * Joins findings into a sentence of at most the stored length; appends the number of omitted findings. Pure.
 */
export function fitSentence(text: string): string {
  const separator = '; ';
  if (text.length <= textBounds.sentence) return text;
  const parts = text.split(separator);
  const room = textBounds.sentence - ' and 1000000 more'.length - separator.length;
  let kept = 0;
  for (let length = 0; kept < parts.length; kept += 1) {
    length += (parts[kept]?.length ?? 0) + separator.length;
    if (length > room) break;
  }
  if (kept === 0) return `${text.slice(0, room)}…`;
  return `${parts.slice(0, kept).join(separator)}${separator}and ${parts.length - kept} more`;
}

/**
 * Looks up an untrusted name in a table. Returns undefined for inherited properties such as "constructor".
 */
export function entryOf<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
