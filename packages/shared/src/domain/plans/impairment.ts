import * as z from 'zod';
import { measure } from '../bounds.ts';

/** Seen from the clients: what they send, what the broker sends, or both. */
export const impairmentDirections = ['both', 'towards the broker', 'from the broker'] as const;

/** A link made worse on purpose; 0 and null: as it is. Applied to each packet on its way, in each direction asked for. */
export const impairmentSchema = z.strictObject({
  lossPercent: measure.min(0).max(50).default(0),
  delayMs: measure.min(0).max(10_000).default(0),
  /** Every packet is delayed by `delayMs` ± so much, evenly spread. */
  jitterMs: measure.min(0).max(10_000).default(0),
  /** Mbit/s of each sending device. */
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

/** netem: all of it, tc-netem(8). nftables: random loss. tbf: a rate, tc-tbf(8). */
export const shapingDrivers = ['netem', 'nftables', 'tbf'] as const;

/** What of a device's kernel was tried and worked. */
export const shapingCapabilitySchema = z.strictObject({
  /** Devices that share it share their interfaces: boot id and network namespace. */
  networkStack: z.string(),
  /** By driver: null when it works, else why not. */
  refusals: z.record(z.enum(shapingDrivers), z.string().nullable()),
});

/** One direction of the traffic between clients and broker. */
export const flows = ['towards the broker', 'from the broker'] as const;

/**
 * egress: netem and tbf hold packets back where they leave their sender. input: nftables drops where they arrive;
 * a packet dropped on its way out would be known to the sender's own TCP, which is no loss.
 */
export const shapingRuleSchema = z.strictObject({
  flow: z.enum(flows),
  at: z.enum(['egress', 'input']),
  driver: z.enum(shapingDrivers),
  lossPercent: measure.min(0).max(50),
  delayMs: measure.min(0).max(10_000),
  jitterMs: measure.min(0).max(10_000),
  rateMbit: measure.positive().nullable(),
  /** Which of the device's interfaces: the link's where the other end is another device, loopback where it is this one. */
  overLink: z.boolean(),
  overLoopback: z.boolean(),
});

/** What one device has to put on for one Run. */
export const shapingOrderSchema = z.strictObject({ rules: z.array(shapingRuleSchema).max(8) });

const count = z.int().min(0);

/** What became of one rule: as the kernel counted, read before it was taken off. */
export const shapingOutcomeSchema = z.strictObject({
  ...shapingRuleSchema.shape,
  interfaces: z.array(z.string()),
  /** Matched, dropped ones among them; null where it was gone. */
  packets: count.nullable(),
  dropped: count.nullable(),
  /** Let through; null where nobody counted. */
  bytes: count.nullable(),
  /** Let through from warm-up to the end of the drain; null where it was not read twice. */
  load: z.strictObject({ bytes: count, durationUs: measure.positive() }).nullable(),
  /** What a queue forgives at the beginning, before its rate holds. */
  burstBytes: count,
  /** Still as it was put on when the measure phase was over. */
  inPlace: z.boolean(),
});

/** Of the connections to the broker as the measure phase ended (TCP_INFO), and of the whole device meanwhile. */
export const tcpFactsSchema = z.strictObject({
  /** Segments of every connection of this network stack while load ran, /proc/net/snmp. */
  sentSegments: count,
  retransmittedSegments: count,
  networkStack: z.string(),
  /** Those of this role alone; null where they were not looked at. */
  connections: z
    .strictObject({
      count,
      /** null where not every connection was seen. */
      retransmitted: count.nullable(),
      /** Median over connections of the smoothed time, and the least that any has seen. */
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
