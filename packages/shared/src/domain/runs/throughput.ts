import * as z from 'zod';
import { count, measure } from '../bounds.ts';

/** Sent messages, including warm-up messages that were written late. */
export const sentThroughputSchema = z.strictObject({
  firstHalf: count,
  secondHalf: count,
  /** Messages after the measure phase. */
  afterwards: count,
});

/** Distinct messages that arrived, including late warm-up messages; for CoAP, the responses. */
export const arrivedThroughputSchema = z.strictObject({
  firstHalf: count,
  secondHalf: count,
  payloadBytes: count,
  /**
   * Longest time without arrivals, including the time before the first arrival. The time after the last
   * arrival is included unless no more messages were due.
   */
  longestSilenceUs: measure.min(0),
  /** First and last arrival among the measured messages; null if none arrived. */
  firstUs: measure.nullable(),
  lastUs: measure.nullable(),
  /** Number of measured messages that arrived together at `firstUs`. */
  atFirst: count,
});

/**
 * Throughput of a device in the measure phase, between two times that all devices have agreed on the testbed
 * clock.
 */
export const throughputSchema = z.strictObject({
  startUs: measure,
  /** Earlier than the agreed time if the load ended after a fixed number of messages. */
  endUs: measure,
  /** null if this device does not send or receive messages. */
  sent: sentThroughputSchema.nullable(),
  arrived: arrivedThroughputSchema.nullable(),
});

export type SentThroughput = z.infer<typeof sentThroughputSchema>;
export type ArrivedThroughput = z.infer<typeof arrivedThroughputSchema>;
export type Throughput = z.infer<typeof throughputSchema>;
