import * as z from 'zod';
import { count, measure } from '../bounds.ts';

/** Messages handed over, those of the warm-up that were written late among them. */
export const sentThroughputSchema = z.strictObject({
  firstHalf: count,
  secondHalf: count,
  /** Behind the end of measuring. */
  afterwards: count,
});

/** Different messages that arrived, those of the warm-up that came meanwhile among them; of CoAP requests the answers. */
export const arrivedThroughputSchema = z.strictObject({
  firstHalf: count,
  secondHalf: count,
  payloadBytes: count,
  /** Longest time in which nothing arrived, up to the first arrival too, and behind the last unless no more was due. */
  longestSilenceUs: measure.min(0),
  /** Of the measured messages, whenever they came; null where none did. */
  firstUs: measure.nullable(),
  lastUs: measure.nullable(),
  /** Measured messages that came at `firstUs`, in one piece. */
  atFirst: count,
});

/** What passed a device while it measured: between two instants agreed for all devices, on the testbed clock. */
export const throughputSchema = z.strictObject({
  startUs: measure,
  /** Sooner than agreed where the load ended after so many messages. */
  endUs: measure,
  /** null where this device sends nothing, and where it receives nothing. */
  sent: sentThroughputSchema.nullable(),
  arrived: arrivedThroughputSchema.nullable(),
});

export type SentThroughput = z.infer<typeof sentThroughputSchema>;
export type ArrivedThroughput = z.infer<typeof arrivedThroughputSchema>;
export type Throughput = z.infer<typeof throughputSchema>;
