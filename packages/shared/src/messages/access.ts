import * as z from 'zod';

/** What a token may do, each including those before it. */
export const accessRoles = ['viewer', 'operator', 'administrator'] as const;
export type AccessRole = (typeof accessRoles)[number];

export const sessionSchema = z.strictObject({
  /** False for a program of this machine while no administrator token is set. */
  loginRequired: z.boolean(),
  /** null while nobody is logged in. */
  role: z.enum(accessRoles).nullable(),
});

export const newTokenSchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  role: z.enum(accessRoles),
});

export const tokenSchema = z.strictObject({
  id: z.int(),
  name: z.string(),
  role: z.enum(accessRoles),
  createdAt: z.number(),
  lastUsedAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
});

export type SessionState = z.infer<typeof sessionSchema>;
