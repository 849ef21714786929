import * as z from 'zod';
import { count, measure } from '../bounds.ts';

/** Sent messages, including messages of the warm-up that were written late. */
export const sentThroughputSchema = z.strictObject({
  firstHalf: count,
  secondHalf: count,
  /** After the measure phase. */
  afterwards: count,
});

/** Distinct messages that arrived, including late messages of the warm-up; for CoAP, the responses. */
export const arrivedThroughputSchema = z.strictObject({
  firstHalf: count,
  secondHalf: count,
  payloadBytes: count,
  /** Longest time without arrivals, including the time before the first, and after the last unless no more was due. */
  longestSilenceUs: measure.min(0),
  /** First and last arrival of the measured messages; null if none arrived. */
  firstUs: measure.nullable(),
  lastUs: measure.nullable(),
  /** Number of measured messages that arrived together at `firstUs`. */
  atFirst: count,
});

/** Throughput of a device in the measure phase, between two times agreed for all devices on the testbed clock. */
export const throughputSchema = z.strictObject({
  startUs: measure,
  /** Earlier than agreed if the load ended after a fixed number of messages. */
  endUs: measure,
  /** null if this device sends, or receives, no messages. */
  sent: sentThroughputSchema.nullable(),
  arrived: arrivedThroughputSchema.nullable(),
});

export type SentThroughput = z.infer<typeof sentThroughputSchema>;
export type ArrivedThroughput = z.infer<typeof arrivedThroughputSchema>;
export type Throughput = z.infer<typeof throughputSchema>;
