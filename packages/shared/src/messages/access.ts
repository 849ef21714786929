import * as z from 'zod';
import { instantMs, textFrom } from '../domain/bounds.ts';

/** Roles of users; each role includes the rights of the roles before it. */
export const accessRoles = ['viewer', 'operator', 'administrator'] as const;
export type AccessRole = (typeof accessRoles)[number];

/** How long a revoked token or share link can be restored. */
export const restoreMinutes = 5;

/** Endpoints that a token can access; the token's role limits what it can do there. */
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

/** `key`: the endpoint as in the API table, "GET /runs/{id}". */
export function isInScope(scope: TokenScope, key: string): boolean {
  return scopeAddresses[scope].test(key) || (scope !== 'metrics' && common.test(key));
}

export const accountNameSchema = z
  .string()
  .trim()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,59}$/u,
    'must consist of 1 to 60 letters, digits, spaces, dots or hyphens',
  );
/** Rules for new passwords for accounts and links; a login accepts any text. */
export const newPasswordSchema = textFrom(10, 200);
const shownPassword = z.string().min(1).max(200);

export const sessionSchema = z.strictObject({
  /** False for programs on this machine if there is no administrator. */
  loginRequired: z.boolean(),
  /** null if not logged in. */
  role: z.enum(accessRoles).nullable(),
  /** Name in the activity log; null if not logged in. */
  name: z.string().nullable(),
  /** Id of the account; null for a token and for this machine. */
  accountId: z.int().nullable(),
  /** True if there is no administrator yet; the link printed by the server creates one. */
  needsFirst: z.boolean(),
  /**
   * Origin for links that others can open; null if only this machine can open the page, or if not logged in.
   */
  publicOrigin: z.string().nullable(),
  /**
   * SHA-256 fingerprint of the server's own certificate authority; null if the server has none. Its
   * certificate can be downloaded without a login.
   */
  authorityFingerprint: z.string().nullable(),
});

export const logInSchema = z.union([
  z.strictObject({ token: shownPassword }),
  z.strictObject({ name: z.string().trim().min(1).max(80), password: shownPassword }),
]);

export const firstAccountSchema = z.strictObject({
  /** Secret from the link printed by the server. */
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
  /** Number of logged-in browsers. */
  sessions: z.int(),
});

export const newTokenSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  role,
  scope: z.enum(tokenScopes).default('everything'),
  /** Expiry time in Unix ms; if omitted, the token does not expire. */
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

/** One change: who made it, what, when and from where, with the values before and after. */
export const changeSchema = z.strictObject({
  id: z.int(),
  at: z.number(),
  /** Name of an account, a token, or "this machine". */
  actor: z.string(),
  /** Network address of the client. */
  address: z.string(),
  /** Endpoint, for example "PATCH /runs/{id}". */
  action: z.string(),
  words: z.string(),
  /** Changed resource, for example "/runs/7". */
  subject: z.string(),
  /** Fields that differ; null if the resource did not exist before or after the change. */
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
});

export const changeQuerySchema = z.strictObject({
  /** Returns only changes older than this id; by default, the newest changes. */
  before: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  /** Restricts the list to changes to this resource and resources below it: "/experiments/7". */
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
