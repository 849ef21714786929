import * as z from 'zod';
import { count, measure, ordinal } from '../bounds.ts';

/** What a bridge did with the messages, warm-up included: received = verified + rejected + duplicates. */
export const bridgeCountersSchema = z.strictObject({
  /** PUBLISH packets from the local broker. */
  received: count,
  /** Authentic and new, or in the clear. */
  verified: count,
  /** Unauthentic, replayed or malformed. */
  rejected: count,
  /** Brought again by MQTT after a connection was lost. */
  duplicates: count,
  reencrypted: count,
  /** Taken by the cloud broker: acknowledged, or at QoS 0 written. */
  forwarded: count,
  /** Encrypted and sent a second time because the connection to the cloud was lost before the acknowledgement. */
  resent: count,
  /** Not taken by a cloud broker, as its acknowledgement said. */
  refused: count,
  /** Times the local leg was not read on because the cloud leg took no more. */
  pauses: count,
  localReconnects: count,
  cloudReconnects: count,
  /** Of those, to another broker of the list. */
  failovers: count,
  missedHeartbeats: count,
  /** Times the process of the bridge had to be started again. */
  restarts: count,
});

export type BridgeCounters = z.infer<typeof bridgeCountersSchema>;

/** Connected, or why not: two heartbeats unanswered, connection lost, none could be opened. */
export const brokerStates = ['connected', 'silent', 'lost', 'not reachable'] as const;
export type BrokerState = (typeof brokerStates)[number];

/** Changes of state that a run keeps of each broker; all are counted. */
export const maxBrokerChanges = 100;

/** What the heartbeats (PINGREQ) of a bridge found out about one broker, warm-up included. */
export const brokerStatusSchema = z.strictObject({
  leg: z.enum(['local', 'cloud']),
  /** Its place in the list of that leg, from 1. */
  place: ordinal,
  sent: count,
  answered: count,
  /** Not answered when the next one was due. */
  missed: count,
  /** PINGREQ to PINGRESP; null without an answer. */
  medianAnswerUs: measure.nullable(),
  changeCount: count,
  /** The first of them; ms from the beginning of measuring. */
  changes: z.array(z.strictObject({ atMs: measure, state: z.enum(brokerStates) })).max(maxBrokerChanges),
});

export type BrokerStatus = z.infer<typeof brokerStatusSchema>;
