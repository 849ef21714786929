import * as z from 'zod';
import { within } from '../bounds.ts';

/** Ports below 1024 need root on most devices. */
const port = within(z.int('needs a whole number'), 1024, 65_535);

/** Ports, both ends included, from which each broker that mqttlab starts on a device takes a free one. */
export const brokerPortsSchema = z
  .strictObject({ first: port, last: port })
  .refine(({ first, last }) => first <= last, { path: ['last'], error: 'is below the first port' });

export type BrokerPorts = z.infer<typeof brokerPortsSchema>;

/** Formats a range: "18830 to 18839", or "18830". */
export function describeBrokerPorts({ first, last }: BrokerPorts): string {
  return first === last ? String(first) : `${first} to ${last}`;
}

/** Lists every port of the range once, from `start` (0 to 1) of the range on, and from its beginning after its end. */
export function listBrokerPorts({ first, last }: BrokerPorts, start: number): number[] {
  const count = last - first + 1;
  const offset = Math.min(count - 1, Math.floor(start * count));
  return Array.from({ length: count }, (_, index) => first + ((offset + index) % count));
}
