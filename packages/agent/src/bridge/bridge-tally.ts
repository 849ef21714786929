import { makeCounters } from '@mqttlab/shared/domain/runs/run';
import type { BridgeTally } from '../load-process/worker-messages.ts';

export const noTally: BridgeTally = {
  bridge: {
    received: 0,
    verified: 0,
    rejected: 0,
    duplicates: 0,
    reencrypted: 0,
    forwarded: 0,
    resent: 0,
    refused: 0,
    pauses: 0,
    localReconnects: 0,
    cloudReconnects: 0,
    failovers: 0,
    missedHeartbeats: 0,
    restarts: 0,
  },
  counters: makeCounters(),
};

/** Counter by counter; neither is changed. */
export function addTallies(one: BridgeTally, other: BridgeTally): BridgeTally {
  return { bridge: add(one.bridge, other.bridge), counters: add(one.counters, other.counters) };
}

function add<T extends Record<string, number>>(one: T, other: T): T {
  const sum = { ...one };
  for (const name of Object.keys(sum) as (keyof T)[]) {
    Object.assign(sum, { [name]: (one[name] ?? 0) + (other[name] ?? 0) });
  }
  return sum;
}
