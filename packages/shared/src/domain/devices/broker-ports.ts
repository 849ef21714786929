import * as z from 'zod';
import { within } from '../bounds.ts';

/** Ports below 1024 need root on most devices. */
const port = within(z.int('needs a whole number'), 1024, 65_535);

/** Port range, inclusive, from which each broker that mqttlab starts on a device uses a free port. */
export const brokerPortsSchema = z
  .strictObject({ first: port, last: port })
  .refine(({ first, last }) => first <= last, { path: ['last'], error: 'is below the first port' });

export type BrokerPorts = z.infer<typeof brokerPortsSchema>;

/** Formats a range: "18830 to 18839", or "18830". */
export function describeBrokerPorts({ first, last }: BrokerPorts): string {
  return first === last ? String(first) : `${first} to ${last}`;
}

/**
 * Lists every port in the range once, beginning at the fraction `start` (0 to 1) and wrapping around at the
 * end.
 */
export function listBrokerPorts({ first, last }: BrokerPorts, start: number): number[] {
  const count = last - first + 1;
  const offset = Math.min(count - 1, Math.floor(start * count));
  return Array.from({ length: count }, (_, index) => first + ((offset + index) % count));
}
