import * as z from 'zod';
import type { EnergyProblem } from '../energy-source.ts';

/** Shelly Gen2 "status/switch:0", Tasmota "tele/.../SENSOR"; a plug with several sockets gives one figure for each. */
const message = z.union([
  z.object({ apower: z.number() }).transform(({ apower }) => apower),
  z
    .object({ ENERGY: z.object({ Power: z.union([z.number(), z.array(z.number()).min(1)]) }) })
    .transform(({ ENERGY }) => [ENERGY.Power].flat().reduce((sum, power) => sum + power, 0)),
]);

/** W in a message: a bare number (Shelly Gen1 "relay/0/power") or one of the documents above. */
export function parsePlugMessage(text: string): number | EnergyProblem {
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text);
  try {
    const parsed = message.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch {
    // No JSON either.
  }
  return { code: 'nonsense', message: `the plug says "${text.slice(0, 40)}"` };
}
