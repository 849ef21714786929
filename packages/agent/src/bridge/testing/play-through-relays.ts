import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { expect } from 'vitest';
import { makeBridgedSpec } from './bridged-trial.ts';
import { type Bridged, playBridged } from './play-bridged.ts';
import { type Relay, startRelay } from './relay.ts';

/** On the local leg (`edge`) and on the leg to the cloud (`onward`). */
export interface Relays {
  edge: Relay;
  onward: Relay;
}

/** Sends 500 messages while `during` disturbs the connections of the bridge; expects that none is lost. */
export async function playThroughRelays(
  brokers: Bridged,
  { heartbeatMs, ...change }: Partial<TrialSpec> & { heartbeatMs?: number },
  during: (relays: Relays) => Promise<void>,
) {
  const [edge, onward] = [await startRelay(brokers.local.port), await startRelay(brokers.cloud.port)];
  try {
    const spec = makeBridgedSpec({ readingsPerSecond: 500, measureMs: 1_000, ...change });
    const { publisher, bridge, subscriber, failures } = await playBridged(brokers, {
      spec,
      bridgePort: edge.port,
      cloudPorts: [onward.port],
      ...(heartbeatMs === undefined ? {} : { heartbeatMs }),
      during: () => during({ edge, onward }),
    });
    expect(failures).toEqual([]);
    expect(publisher.counters?.sent).toBe(500);
    expect(subscriber.counters).toMatchObject({ received: 500, replayed: 0, unauthentic: 0, malformed: 0 });
    expect(bridge.counters).toMatchObject({ received: 500, acknowledged: 500, replayed: 0 });
    return bridge;
  } finally {
    edge.stop();
    onward.stop();
  }
}
