import * as z from 'zod';
import { measure } from '../bounds.ts';

/** Impaired packets: packets from the clients, packets from the broker, or both. */
export const impairmentDirections = ['both', 'towards the broker', 'from the broker'] as const;

/** Impairment of a link, applied to each packet in each chosen direction; 0 and null mean no impairment. */
export const impairmentSchema = z.strictObject({
  lossPercent: measure.min(0).max(50).default(0),
  delayMs: measure.min(0).max(10_000).default(0),
  /** Each packet is delayed by `delayMs` ± this value, uniformly distributed. */
  jitterMs: measure.min(0).max(10_000).default(0),
  /** Mbit/s per sending device. */
  rateMbit: measure.min(0.01).max(10_000).nullable().default(null),
  direction: z.enum(impairmentDirections).default('both'),
});

export type ImpairmentDirection = (typeof impairmentDirections)[number];
export type Impairment = z.infer<typeof impairmentSchema>;

export const noImpairment: Impairment = {
  lossPercent: 0,
  delayMs: 0,
  jitterMs: 0,
  rateMbit: null,
  direction: 'both',
};

export function isImpaired({ lossPercent, delayMs, jitterMs, rateMbit }: Impairment): boolean {
  return lossPercent > 0 || delayMs > 0 || jitterMs > 0 || rateMbit !== null;
}

/** netem: all impairments, tc-netem(8). nftables: random loss. tbf: rate limit, tc-tbf(8). */
export const shapingDrivers = ['netem', 'nftables', 'tbf'] as const;

/** Tested shaping capabilities of a device's kernel. */
export const shapingCapabilitySchema = z.strictObject({
  /** Boot id and network namespace; devices with the same value share their interfaces. */
  networkStack: z.string(),
  /** Reason why a driver does not work, by driver; null if it works. */
  refusals: z.record(z.enum(shapingDrivers), z.string().nullable()),
});

/** One direction of the traffic between clients and broker. */
export const flows = ['towards the broker', 'from the broker'] as const;

/**
 * egress: netem and tbf delay packets at the sender. input: nftables drops packets at the receiver, because the sender's
 * own TCP would notice an outgoing packet dropped locally, which is not a real loss.
 */
export const shapingRuleSchema = z.strictObject({
  flow: z.enum(flows),
  at: z.enum(['egress', 'input']),
  driver: z.enum(shapingDrivers),
  lossPercent: measure.min(0).max(50),
  delayMs: measure.min(0).max(10_000),
  jitterMs: measure.min(0).max(10_000),
  rateMbit: measure.positive().nullable(),
  /**
   * Affected interfaces: the link's interfaces if the other end is another device, loopback if it is this
   * device.
   */
  overLink: z.boolean(),
  overLoopback: z.boolean(),
});

/** Shaping rules for one device in one run. */
export const shapingOrderSchema = z.strictObject({ rules: z.array(shapingRuleSchema).max(8) });

const count = z.int().min(0);

/** Outcome of one rule: the kernel's counters, read before the rule is removed. */
export const shapingOutcomeSchema = z.strictObject({
  ...shapingRuleSchema.shape,
  interfaces: z.array(z.string()),
  /** Number of matched packets, including dropped packets; null if the rule was missing. */
  packets: count.nullable(),
  dropped: count.nullable(),
  /** Number of passed packets; null if not counted. */
  bytes: count.nullable(),
  /** Bytes passed from the warm-up to the end of the drain; null if the counter was not read twice. */
  load: z.strictObject({ bytes: count, durationUs: measure.positive() }).nullable(),
  /** Initial burst that a queue allows before its rate applies. */
  burstBytes: count,
  /** True if the rule was still in place at the end of the measure phase. */
  inPlace: z.boolean(),
});

/**
 * TCP counters for the connections to the broker at the end of the measure phase (TCP_INFO), and for the
 * device.
 */
export const tcpFactsSchema = z.strictObject({
  /** Segments on all connections of this network stack during the load, from /proc/net/snmp. */
  sentSegments: count,
  retransmittedSegments: count,
  networkStack: z.string(),
  /** Connections of this role only; null if not read. */
  connections: z
    .strictObject({
      count,
      /** null if some connections were not read. */
      retransmitted: count.nullable(),
      /** Median over connections of the smoothed round-trip time, and the minimum over all connections. */
      roundTripMs: measure.nullable(),
      leastRoundTripMs: measure.nullable(),
    })
    .nullable(),
});

export type ShapingDriver = (typeof shapingDrivers)[number];
export type ShapingCapability = z.infer<typeof shapingCapabilitySchema>;
export type Flow = (typeof flows)[number];
export type ShapingRule = z.infer<typeof shapingRuleSchema>;
export type ShapingOrder = z.infer<typeof shapingOrderSchema>;
export type ShapingOutcome = z.infer<typeof shapingOutcomeSchema>;
export type TcpFacts = z.infer<typeof tcpFactsSchema>;
