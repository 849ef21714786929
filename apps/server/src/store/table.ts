import { deflateSync, inflateSync } from 'node:zlib';
import { Failure } from '@mqttlab/shared/kit/failure';
import * as z from 'zod';
import type { Database, Params } from './database.ts';
import { StorageError } from './storage-error.ts';

export interface StoreOptions {
  /** Unix ms. */
  now?: () => number;
}

/** Schemas of columns whose names end with _json, including nullable columns. */
const jsonColumns = new WeakSet<z.core.$ZodType>();

/** Describes a TEXT column that contains JSON with this schema. */
export function json<T extends z.ZodType>(schema: T) {
  const column = z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue('is not JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);
  jsonColumns.add(column);
  return column;
}

/** A BLOB column. */
export const blob = z.instanceof<typeof Uint8Array<ArrayBufferLike>>(Uint8Array);

/** INTEGER 0 or 1. */
export const flag = z.union([z.literal(0), z.literal(1)]).transform((value) => value === 1);

/** Returns the number that a query selects; 0 without a row. */
export function countOf(database: Database, sql: string, params?: Params): number {
  return database.column<number>(sql, params)[0] ?? 0;
}

/** Maximum size of an unpacked document, in bytes. Stored documents are far smaller. */
const maximumBytes = 512 * 1024 * 1024;

/** Deflated JSON. */
export function packJson(value: unknown): Uint8Array {
  return deflateSync(JSON.stringify(value));
}

/**
 * Unpacks and parses a document packed by packJson. Throws the schema's error if the document does not match
 * it.
 */
export function unpackJson<T>(packed: Uint8Array, schema: { parse(input: unknown): T }): T {
  return schema.parse(JSON.parse(inflateSync(packed, { maxOutputLength: maximumBytes }).toString('utf8')));
}

function endingOf(schema: z.core.$ZodType): string {
  if (jsonColumns.has(schema)) return '_json';
  return 'innerType' in schema._zod.def ? endingOf(schema._zod.def.innerType as z.core.$ZodType) : '';
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Values to write: part of a row. */
type Values<Row> = {
  [Key in keyof Row]?: (Row[Key] extends Uint8Array ? Uint8Array : Row[Key]) | undefined;
};

export type RowOf<T extends { parse(input: unknown): unknown }> = ReturnType<T['parse']>;

/**
 * Maps rows to objects and back: an object's `startedAt` is started_at in the table, and json() describes a
 * column whose name ends with _json. `computed` defines SQL for fields that are not columns of that name.
 */
export function defineRow<Shape extends z.ZodRawShape>(shape: Shape, computed: Record<string, string> = {}) {
  const schema = z.object(shape);
  type Row = z.output<typeof schema>;
  const columnOf = new Map(
    Object.entries(shape).map(([name, column]) => [name, snakeCase(name) + endingOf(column)]),
  );
  const toParams = (values: Values<Row>): Params => {
    const params: Params = {};
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) continue;
      const column = columnOf.get(name) ?? name;
      if (value === null || typeof value === 'number' || typeof value === 'string') params[column] = value;
      else if (typeof value === 'boolean') params[column] = Number(value);
      else params[column] = value instanceof Uint8Array ? value : JSON.stringify(value);
    }
    return params;
  };
  return {
    /** List of columns after SELECT. */
    columns: [...columnOf]
      .map(([name, column]) => [computed[name] ?? column, name])
      .map(([sql, name]) => (sql === name ? name : `${sql} AS "${name}"`))
      .join(', '),
    /** Parses a row. Throws ZodError, which names the column. */
    parse(input: unknown): Row {
      const parsed = schema.safeParse(input);
      if (parsed.success) return parsed.data;
      throw new z.ZodError(
        parsed.error.issues.map((issue) => {
          const [name, ...rest] = issue.path;
          return { ...issue, path: [columnOf.get(String(name)) ?? String(name), ...rest] };
        }),
      );
    },
    /** Returns values by column, without undefined values. */
    toParams,
  };
}

/**
 * Defines a table whose rows have one schema. Reading throws ZodError if a row is unreadable; lists omit
 * unreadable rows.
 */
export function defineTable<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  computed: Record<string, string> = {},
) {
  const row = defineRow(shape, computed);
  type Row = RowOf<typeof row>;
  const select = `SELECT ${row.columns} FROM ${name}`;
  const whereOf = (key: Params): string =>
    Object.keys(key)
      .map((column) => `${column} = :${column}`)
      .join(' AND ');
  const insertOf = (params: Params): string => {
    const names = Object.keys(params);
    const holders = names.map((column) => `:${column}`);
    return `INSERT INTO ${name} (${names.join(', ')}) VALUES (${holders.join(', ')})`;
  };
  const on = (database: Database) => ({
    /** Returns the readable rows. `rest`: WHERE and ORDER BY. */
    list: (rest: string, params?: Params): Row[] =>
      readEach(database.all(`${select} ${rest}`, params), row.parse, leaveOut),
    find(rest: string, params?: Params): Row | null {
      const found = database.get(`${select} ${rest}`, params);
      return found === undefined ? null : row.parse(found);
    },
    /** Inserts a row. Returns the row id. `more`: columns that are never read. */
    insert(values: Values<Row>, more: Params = {}): number {
      const params = { ...row.toParams(values), ...more };
      return database.run(insertOf(params), params).id;
    },
    /** Inserts the row, or updates the row with the same `key`, except for the columns in `once`. */
    save({ key, values, once = {} }: { key: string; values: Params; once?: Params }): void {
      const params = { ...values, ...once };
      const changed = Object.keys(values).filter((column) => column !== key);
      const set = changed.map((column) => `${column} = :${column}`).join(', ');
      database.run(`${insertOf(params)} ON CONFLICT (${key}) DO UPDATE SET ${set}`, params);
    },
    /** Updates a row. Returns false if there is no such row or nothing to change. */
    update(key: Params, values: Values<Row>, more: Params = {}): boolean {
      const params = { ...row.toParams(values), ...more };
      const set = Object.keys(params).map((column) => `${column} = :${column}`);
      if (set.length === 0) return false;
      const sql = `UPDATE ${name} SET ${set.join(', ')} WHERE ${whereOf(key)}`;
      return database.run(sql, { ...params, ...key }).changes > 0;
    },
    /** Removes a row. Returns false if there was none. */
    remove: (key: Params): boolean =>
      database.run(`DELETE FROM ${name} WHERE ${whereOf(key)}`, key).changes > 0,
  });
  return Object.assign(on, row);
}

type Query = (database: Database, ...rest: never[]) => unknown;
type Bound<Queries> = {
  [Name in keyof Queries]: Queries[Name] extends (database: Database, ...rest: infer Rest) => infer Answer
    ? (...rest: Rest) => Answer
    : never;
};

/** Binds the functions to a database. */
export function bindTo<Queries extends Record<string, Query>>(
  database: Database,
  queries: Queries,
): Bound<Queries> {
  const bound = Object.entries(queries).map(([name, query]) => [name, query.bind(null, database)]);
  return Object.fromEntries(bound) as Bound<Queries>;
}

/** Returns a page. `rows`: newest first, with one more row than the page if there are more. */
export function pageOf<Row extends { id: number }>(
  rows: Row[],
  limit: number,
): { items: Row[]; next?: number } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return rows.length > limit && last ? { items, next: last.id } : { items };
}

const unreadableCode = 'unreadable-row';

/** Creates the failure for an unreadable row, which can still be exported as stored, and deleted. */
function unreadableRow(what: string, cause: unknown): Failure {
  const message = `The stored data of ${what} cannot be read: ${describeCause(cause)}.`;
  const remedy = 'In the list, export it as stored or delete it. Nothing else is affected.';
  return new Failure({ code: unreadableCode, message, remedy }, { cause });
}

/** Returns true for the failure that `readOrBroken` throws. */
export function isUnreadableRow(error: unknown): error is Failure {
  return error instanceof Failure && error.code === unreadableCode;
}

/** Describes the cause as part of a sentence in a list. */
function describeCause(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    const [issue] = cause.issues;
    const field = issue?.path.map(String).join('.') || 'it';
    return `${field.slice(0, 200)}: ${issue?.message ?? 'is not valid'}`.slice(0, 600);
  }
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '').slice(0, 600);
}

/** Throws a failure with code 'unreadable-row' if `read` throws anything but a StorageError. */
export function readOrBroken<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isUnreadable(error) ? unreadableRow(what, error) : error;
  }
}

/**
 * Returns the readable rows, because an unreadable row must not break a list. `salvage` replaces an
 * unreadable row; null omits it.
 */
export function readEach<Row, T>(rows: readonly Row[], read: (row: Row) => T, salvage: Salvage<Row, T>): T[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      const instead = salvage(row, describeCause(error));
      return instead === null ? [] : [instead];
    }
  });
}

type Salvage<Row, T> = (row: Row, reason: string) => T | null;

/** Omits unreadable rows from lists. */
export const leaveOut = (): null => null;

/**
 * Returns true if the row caused the error: a StorageError is a disk error; any other error in parsing,
 * unpacking or computing is caused by the row.
 */
function isUnreadable(error: unknown): boolean {
  return !(error instanceof StorageError);
}
