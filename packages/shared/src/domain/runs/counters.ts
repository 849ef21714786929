import type { Counters } from './role-result.ts';

/** Returns counters with the given counts; all others are zero. */
export function makeCounters(counted: Partial<Counters> = {}): Counters {
  return {
    sent: 0,
    acknowledged: 0,
    received: 0,
    duplicate: 0,
    reordered: 0,
    identifierReused: 0,
    late: 0,
    unsent: 0,
    unstamped: 0,
    payloadBytesSent: 0,
    payloadBytesReceived: 0,
    carriedBytesSent: 0,
    unauthentic: 0,
    replayed: 0,
    malformed: 0,
    connectionsOpened: 0,
    connectionsFailed: 0,
    connectionBytesSent: 0,
    connectionBytesReceived: 0,
    altered: 0,
    connectionsHeld: 0,
    ...counted,
  };
}
