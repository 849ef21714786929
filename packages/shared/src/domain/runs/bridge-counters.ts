import * as z from 'zod';
import { count, measure, ordinal } from '../bounds.ts';

/** Message counters of a bridge, including the warm-up: received = verified + rejected + duplicates. */
export const bridgeCountersSchema = z.strictObject({
  /** PUBLISH packets from the local broker. */
  received: count,
  /** Authentic and new messages, or unencrypted messages. */
  verified: count,
  /** Unauthentic, replayed or malformed messages. */
  rejected: count,
  /** Messages redelivered by MQTT after a connection was lost. */
  duplicates: count,
  reencrypted: count,
  /** Messages accepted by the cloud broker: acknowledged, or written at QoS 0. */
  forwarded: count,
  /** Messages encrypted and sent again because the connection to the cloud was lost before the acknowledgement. */
  resent: count,
  /** Messages refused by a cloud broker in its acknowledgement. */
  refused: count,
  /** Number of times reading from the local leg paused because of back-pressure from the cloud leg. */
  pauses: count,
  localReconnects: count,
  cloudReconnects: count,
  /** Reconnections to another broker in the list. */
  failovers: count,
  missedHeartbeats: count,
  /** Restarts of the bridge process. */
  restarts: count,
});

export type BridgeCounters = z.infer<typeof bridgeCountersSchema>;

/** "connected", or the reason for being disconnected; "silent" means two unanswered heartbeats. */
export const brokerStates = ['connected', 'silent', 'lost', 'not reachable'] as const;
export type BrokerState = (typeof brokerStates)[number];

/** Maximum number of state changes stored per broker; all changes are counted. */
export const maxBrokerChanges = 100;

/** Status of one broker, determined by a bridge's heartbeats (PINGREQ), including the warm-up. */
export const brokerStatusSchema = z.strictObject({
  leg: z.enum(['local', 'cloud']),
  /** 1-based position in the broker list of that leg. */
  place: ordinal,
  sent: count,
  answered: count,
  /** Number of heartbeats not answered when the next heartbeat was due. */
  missed: count,
  /** Time from PINGREQ to PINGRESP; null without a response. */
  medianAnswerUs: measure.nullable(),
  changeCount: count,
  /** The first state changes, in ms since the start of the measure phase. */
  changes: z.array(z.strictObject({ atMs: measure, state: z.enum(brokerStates) })).max(maxBrokerChanges),
});

export type BrokerStatus = z.infer<typeof brokerStatusSchema>;
