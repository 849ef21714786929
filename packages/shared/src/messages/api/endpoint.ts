import * as z from 'zod';
import type { AccessRole } from '../access.ts';

/** Who may call: a token role, or anybody. */
export type RouteAccess = AccessRole | 'open';

/** What goes in and what comes out of one address; without response and file it answers with nothing. */
interface Contract {
  params?: z.ZodType;
  query?: z.ZodType;
  /** Those that the handler reads, in small letters. */
  headers?: z.ZodType;
  body?: z.ZodType;
  /** JSON unless it says otherwise; a CSV comes as one text. */
  bodyType?: 'text/csv';
  response?: z.ZodType;
  /** Of a success: 200 unless it says otherwise. */
  status?: 201;
  /** Takes an Idempotency-Key. */
  isOnce?: true;
  /** It only asks, though it is no GET: the log of changes leaves it out. */
  asks?: true;
  /** Content type of a file to save or to look at. */
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
  .regex(/^[1-9]\d{0,9}$/, 'needs a whole number from 1 on')
  .transform(Number)
  .meta({ override: { type: 'integer', minimum: 1 } });

/** A request that makes something and comes again with the same key is answered as the first one was, for a day. */
export const once = {
  headers: z.object({
    'idempotency-key': z
      .string()
      .regex(/^[!-~]{1,200}$/, 'is not 1 to 200 characters without spaces')
      .optional(),
  }),
  isOnce: true,
} as const;

/** Parameters of an address that names a thing by its number. */
export const numbered = { params: z.strictObject({ id: idParam }) } as const;

export const itemsOf = <T extends z.ZodType>(schema: T) => z.strictObject({ items: z.array(schema) });

/** The value of `before`, or of `after`, that reads the next page; absent on the last. */
const next = { next: z.int().min(1).optional() };

/** A page of a list that can be long. */
export const pageOf = <T extends z.ZodType>(schema: T) => z.strictObject({ items: z.array(schema), ...next });

/** Which page; without `before` the first. */
/** Which of several devices. */
export const runFileQuery = z.strictObject({ device: z.string().max(200).optional() });
export const pageQuery = z.strictObject({
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

/** Rows of a page: also how many runs come with an experiment. */
export const rowsPerPage = 500;

/** Which page of a list that is oldest first; without `after` the first. */
export const rowQuery = z.strictObject({
  after: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  limit: z.coerce.number().int().min(1).max(rowsPerPage).default(rowsPerPage),
});

/** A description for programs: JSON Schema, OpenAPI, AsyncAPI. */
export const document = z.record(z.string(), z.unknown());

/** Content types of files. */
export const csv = 'text/csv';
export const json = 'application/json';
export const yaml = 'application/yaml';
