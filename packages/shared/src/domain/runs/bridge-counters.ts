import * as z from 'zod';
import { count } from '../bounds.ts';

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
