import * as z from 'zod';
import { type Role, roles } from '../domain/devices/device.ts';

/** Maximum frame size that the server accepts from an agent: a result with all series. */
export const maxAgentFrameBytes = 64 * 1024 * 1024;

/** Name of a refused result on its device: part of its key and the time in Unix ms. */
export const setAsideNameSchema = z.string().regex(/^[0-9a-z-]{1,80}$/, 'is not a set-aside result');

/** Key of a result on its device until the server has stored it: one run in one role. */
export const resultKeySchema = z.string().regex(new RegExp(`^\\d{1,12}-(${roles.join('|')})$`));

export function resultKeyOf({ runId, role }: { runId: number; role: Role }): string {
  return `${runId}-${role}`;
}

/** A result that the server refused, stored on its device for inspection. */
export const setAsideSchema = z.strictObject({
  name: setAsideNameSchema,
  key: resultKeySchema,
  /** Reason why the server refused it, in words. */
  reason: z.string().max(1000),
  /** Time in Unix ms, on the device's clock. */
  refusedAt: z.number(),
  bytes: z.int().min(0),
});

/** Maximum number of refused results that a device reports, newest first. */
export const maxSetAside = 200;
export const setAsideListSchema = z.array(setAsideSchema).max(maxSetAside);

export type SetAside = z.infer<typeof setAsideSchema>;
