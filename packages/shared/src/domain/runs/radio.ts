import * as z from 'zod';
import { count, measure, word } from '../bounds.ts';

/** State of a wireless interface at one moment; unreported values are null. */
export const radioStateSchema = z.strictObject({
  /** null if unknown; false if there is no access point. */
  connected: z.boolean().nullable(),
  channel: count.nullable(),
  frequencyMhz: measure.nullable(),
  widthMhz: measure.nullable(),
  signalDbm: measure.nullable(),
  transmitDbm: measure.nullable(),
  /** PHY rates, Mbit/s. */
  transmitMbit: measure.nullable(),
  receiveMbit: measure.nullable(),
  /** Counters since the device joined its access point, or since the interface came up. */
  retries: count.nullable(),
  failed: count.nullable(),
});

/** State of the interface used by a run, before its start and after its load. */
export const radioSchema = z.strictObject({
  interface: word,
  before: radioStateSchema,
  after: radioStateSchema.nullable(),
});

export type RadioState = z.infer<typeof radioStateSchema>;
export type RunRadio = z.infer<typeof radioSchema>;

/**
 * IEEE 802.11-2020 clause 17 and 802.11ax: the 2.4 GHz band is below 2.5 GHz, and the 6 GHz band starts at
 * 5.925 GHz.
 */
export function bandOf({ frequencyMhz }: Pick<RadioState, 'frequencyMhz'>): string | null {
  if (frequencyMhz === null) return null;
  if (frequencyMhz < 2500) return '2.4 GHz';
  return frequencyMhz < 5925 ? '5 GHz' : '6 GHz';
}
