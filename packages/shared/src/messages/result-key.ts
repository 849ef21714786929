import * as z from 'zod';
import { type Role, roles } from '../domain/devices/device.ts';

/** Names a result on its device until the server has it: one Run in one role. */
export const resultKeySchema = z.string().regex(new RegExp(`^\\d{1,12}-(${roles.join('|')})$`));

export function resultKeyOf({ runId, role }: { runId: number; role: Role }): string {
  return `${runId}-${role}`;
}
