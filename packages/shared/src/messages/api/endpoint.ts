import * as z from 'zod';
import type { AccessRole } from '../access.ts';

/** Required role, or open to all callers. */
export type RouteAccess = AccessRole | 'open';

/** Request and response of one endpoint; without `response` and `file`, the response is empty. */
interface Contract {
  params?: z.ZodType;
  query?: z.ZodType;
  /** Headers that the handler reads, in lower case. */
  headers?: z.ZodType;
  body?: z.ZodType;
  /** Schema of the body, which is JSON by default; a CSV file is a single text. */
  bodyType?: 'text/csv';
  /**
   * Whether the endpoint also accepts a document instead of a body with its `text`: YAML as application/yaml,
   * or JSON.
   */
  takesDocument?: true;
  response?: z.ZodType;
  /** Success status; default: 200. */
  status?: 201;
  /** Accepts an Idempotency-Key. */
  isOnce?: true;
  /**
   * True if the endpoint only reads data although it is not a GET; it is then omitted from the activity log.
   */
  asks?: true;
  /** Content type of a file response. */
  file?: string;
}

export type Endpoint = Contract & { access: RouteAccess; summary: string };

const allowedTo =
  <const Access extends RouteAccess>(access: Access) =>
  <const Form extends Contract>(summary: string, form: Form): Form & { access: Access; summary: string } => ({
    access,
    summary,
    ...form,
  });
export const open = allowedTo('open');
export const viewer = allowedTo('viewer');
export const operator = allowedTo('operator');
export const administrator = allowedTo('administrator');

/** A whole number of at least 1 in a path or query. */
export const idParam = z
  .string()
  .regex(/^[1-9]\d{0,9}$/, 'must be a whole number of at least 1')
  .transform(Number)
  .meta({ override: { type: 'integer', minimum: 1 } });

/** A create request that is repeated with the same key within a day returns the first response. */
export const once = {
  headers: z.object({
    'idempotency-key': z
      .string()
      .regex(/^[!-~]{1,200}$/, 'must have 1 to 200 characters without spaces')
      .optional(),
  }),
  isOnce: true,
} as const;

/** Path parameters of a resource with a numeric id. */
export const numbered = { params: z.strictObject({ id: idParam }) } as const;

export const itemsOf = <T extends z.ZodType>(schema: T) => z.strictObject({ items: z.array(schema) });

/** Value of `before` or `after` for the next page; absent on the last page. */
const next = { next: z.int().min(1).optional() };

/** Returns the schema of one page of a list. */
export const pageOf = <T extends z.ZodType>(schema: T) => z.strictObject({ items: z.array(schema), ...next });

/** A page of a newest-first list; without `before`, the first page. */
/** Which of several devices. */
export const runFileQuery = z.strictObject({ device: z.string().max(200).optional() });
export const pageQuery = z.strictObject({
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

/** Number of rows per page, which also applies to the runs returned with an experiment. */
export const rowsPerPage = 500;

/** A page of an oldest-first list; without `after`, the first page. */
export const rowQuery = z.strictObject({
  after: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(rowsPerPage).default(rowsPerPage),
});

/** A machine-readable description: JSON Schema, OpenAPI, AsyncAPI. */
export const document = z.record(z.string(), z.unknown());

/** Content types of files. */
export const csv = 'text/csv';
export const json = 'application/json';
export const yaml = 'application/yaml';
