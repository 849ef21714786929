import { cloudLegOf } from '@mqttlab/shared/domain/devices/topology';
import type { PrepareBridge, PrepareClient } from '@mqttlab/shared/messages/agent';

/** Both legs of a bridge as clients see them: it subscribes to the local broker and publishes to the cloud. */
export interface BridgeLegs {
  local: PrepareClient;
  cloud: PrepareClient;
}

export function makeBridgeLegs({ spec, local, cloud, ...command }: PrepareBridge): BridgeLegs {
  const common = {
    energySource: command.energySource,
    runTag: command.runTag,
    clock: command.clock,
    ...({ kind: 'prepare-client', mirror: false, share: null } as const),
  };
  const { brokers, ...onward } = cloud;
  const [first = local.broker] = brokers;
  return {
    // One subscription of its own: a share of the messages is nothing to bridge.
    local: { ...common, ...local, role: 'subscriber', spec: { ...spec, sharedSubscription: false } },
    cloud: { ...common, ...onward, broker: first, role: 'publisher', spec: cloudLegOf(spec) },
  };
}
