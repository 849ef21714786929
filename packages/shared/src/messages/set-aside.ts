import * as z from 'zod';
import { type Role, roles } from '../domain/devices/device.ts';

/** Largest frame that the server takes of an agent: a result with every series. */
export const maxAgentFrameBytes = 64 * 1024 * 1024;

/** Names a result on its device that the server refused: letters of its key and when, Unix ms. */
export const setAsideNameSchema = z.string().regex(/^[0-9a-z-]{1,80}$/, 'is not a result that was set aside');

/** Names a result on its device until the server has it: one Run in one role. */
export const resultKeySchema = z.string().regex(new RegExp(`^\\d{1,12}-(${roles.join('|')})$`));

export function resultKeyOf({ runId, role }: { runId: number; role: Role }): string {
  return `${runId}-${role}`;
}

/** A result that the server refused: kept on its device until somebody looks at it. */
export const setAsideSchema = z.strictObject({
  name: setAsideNameSchema,
  key: resultKeySchema,
  /** Why the server refused it, in words. */
  reason: z.string().max(1000),
  /** Unix ms, by the clock of the device. */
  refusedAt: z.number(),
  bytes: z.int().min(0),
});

/** Most that a device tells of: the newest. */
export const maxSetAside = 200;
export const setAsideListSchema = z.array(setAsideSchema).max(maxSetAside);

export type SetAside = z.infer<typeof setAsideSchema>;
