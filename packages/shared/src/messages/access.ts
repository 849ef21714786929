import * as z from 'zod';
import { instantMs, textFrom } from '../domain/bounds.ts';

/** What somebody may do, each including those before it. */
export const accessRoles = ['viewer', 'operator', 'administrator'] as const;
export type AccessRole = (typeof accessRoles)[number];

/** Which addresses a token opens at all; its role says what it may do there. */
export const tokenScopes = ['everything', 'experiments', 'devices', 'metrics'] as const;
export type TokenScope = (typeof tokenScopes)[number];

const common = /^GET \/(version|catalogue|(open|async)api\.json)$/;
const scopeAddresses: Readonly<Record<TokenScope, RegExp>> = {
  everything: /^/,
  experiments:
    /^[A-Z]+ \/(experiments|runs|plan|tour|imports|compare|studies|study-runs|views|shares)\b|^GET \/(live|testbeds)$|^POST \/testbeds\/\{id\}\/preflight$/,
  devices: /^[A-Z]+ \/(devices|testbeds)\b/,
  metrics: /^GET \/metrics$/,
};

/** `key`: as the table of addresses has it, "GET /runs/{id}". */
export function isInScope(scope: TokenScope, key: string): boolean {
  return scopeAddresses[scope].test(key) || (scope !== 'metrics' && common.test(key));
}

export const accountNameSchema = z
  .string()
  .trim()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,59}$/u, 'needs 1 to 60 letters, digits, spaces, dots, hyphens');
/** Of an account or a link that is made; what is shown at a login is taken as it is. */
export const newPasswordSchema = textFrom(10, 200);
const shownPassword = z.string().min(1).max(200);

export const sessionSchema = z.strictObject({
  /** False for a program of this machine while there is no administrator. */
  loginRequired: z.boolean(),
  /** null while nobody is logged in. */
  role: z.enum(accessRoles).nullable(),
  /** Who is logged in, as the log of changes says it; null while nobody is. */
  name: z.string().nullable(),
  /** Of the account that is logged in; null for a token and for this machine. */
  accountId: z.int().nullable(),
  /** There is no administrator yet: the link that the server printed makes one. */
  needsFirst: z.boolean(),
});

export const logInSchema = z.union([
  z.strictObject({ token: shownPassword }),
  z.strictObject({ name: z.string().trim().min(1).max(80), password: shownPassword }),
]);

export const firstAccountSchema = z.strictObject({
  /** From the link that the server printed. */
  secret: shownPassword,
  name: accountNameSchema,
  password: newPasswordSchema,
});

export const changePasswordSchema = z.strictObject({
  password: shownPassword,
  newPassword: newPasswordSchema,
});

const role = z.enum(accessRoles);
export const newAccountSchema = z.strictObject({
  name: accountNameSchema,
  role,
  password: newPasswordSchema,
});
export const patchAccountSchema = z.strictObject({
  role: role.optional(),
  password: newPasswordSchema.optional(),
});
export const accountSchema = z.strictObject({
  id: z.int(),
  name: z.string(),
  role,
  createdAt: z.number(),
  lastUsedAt: z.number().nullable(),
  /** Browsers that are logged in. */
  sessions: z.int(),
});

export const newTokenSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  role,
  scope: z.enum(tokenScopes).default('everything'),
  /** Unix ms; left out, it does not end by itself. */
  expiresAt: instantMs.optional(),
});

export const tokenSchema = z.strictObject({
  id: z.int(),
  name: z.string(),
  role,
  scope: z.enum(tokenScopes),
  createdAt: z.number(),
  lastUsedAt: z.number().nullable(),
  expiresAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
});

/** One change: who, what, when, from where, before and after. */
export const changeSchema = z.strictObject({
  id: z.int(),
  at: z.number(),
  /** Name of an account, a token, or "this machine". */
  actor: z.string(),
  /** Network address that it came from. */
  address: z.string(),
  /** Address of the API: "PATCH /runs/{id}". */
  action: z.string(),
  words: z.string(),
  /** What was changed: "/runs/7". */
  subject: z.string(),
  /** The fields that differ; null where there was nothing, or nothing is left. */
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
});

export const changeQuerySchema = z.strictObject({
  /** Changes older than this one; without it the newest. */
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  /** Only of this thing and what is below it: "/experiments/7". */
  subject: z.string().max(200).optional(),
  actor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

export type SessionState = z.infer<typeof sessionSchema>;
export type LogIn = z.infer<typeof logInSchema>;
export type Account = z.infer<typeof accountSchema>;
export type Token = z.infer<typeof tokenSchema>;
export type NewToken = z.input<typeof newTokenSchema>;
export type Change = z.infer<typeof changeSchema>;
export type ChangeQuery = z.infer<typeof changeQuerySchema>;
