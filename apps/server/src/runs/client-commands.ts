import { randomInt } from 'node:crypto';
import type { ClockOffset } from '@mqttlab/shared/domain/runs/role-result';
import type { AgentCommand, PayloadKey } from '@mqttlab/shared/messages/agent';
import { specOf } from './participants.ts';
import { makePayloadKeys } from './payload-keys.ts';
import { needsMirror } from './run-clocks.ts';
import type { RunDevice, RunDevices } from './run-devices.ts';
import type { shapeLinks } from './shape-links.ts';
import type { TrialLeg } from './trial-leg.ts';

export interface ClientCommandsRequest {
  devices: RunDevices;
  /** From the publisher to its broker. */
  edge: TrialLeg;
  /** From the bridge to the subscriber; null without a bridge: then there is one leg for all. */
  cloud: TrialLeg | null;
  clockOf: (device: RunDevice) => ClockOffset;
  shaping: ReturnType<typeof shapeLinks>;
}

/**
 * What each client's device is told to prepare: one run tag, and a set of payload keys for each leg. With a bridge the
 * publisher's key goes to the bridge, and the bridge's own to the subscriber.
 */
export function makeClientCommands(request: ClientCommandsRequest): (device: RunDevice) => AgentCommand {
  const { devices, edge, cloud, clockOf, shaping } = request;
  const runTag = randomInt(2 ** 32);
  const edgeKeys = makePayloadKeys(edge.spec);
  const cloudKeys = cloud && makePayloadKeys(cloud.spec);
  const linksOf = (role: 'publisher' | 'subscriber') => devices.of(role).map(({ link }) => link);
  // Behind a bridge a round trip to the broker says nothing about the way to the subscriber.
  const mirror = cloud === null && needsMirror(linksOf('publisher'), linksOf('subscriber'));
  const common = { energySource: null, runTag };
  return (device) => {
    if (device.role === 'bridge' && cloud !== null) {
      const { subscriber: localKey } = edgeKeys;
      return {
        kind: 'prepare-bridge',
        ...common,
        spec: specOf(device, edge.spec),
        clock: clockOf(device),
        local: { ...describeLeg(edge, localKey), broker: endpointOf(edge) },
        cloud: {
          ...describeLeg(cloud, cloudKeys?.publisher ?? null),
          brokers: cloud.brokers.map(({ address, port }) => ({ address, port })),
        },
      };
    }
    const role = device.role === 'publisher' ? 'publisher' : 'subscriber';
    const leg = role === 'publisher' ? edge : (cloud ?? edge);
    const keys = role === 'publisher' ? edgeKeys : (cloudKeys ?? edgeKeys);
    return {
      kind: 'prepare-client',
      ...common,
      role,
      spec: specOf(device, leg.spec),
      clock: clockOf(device),
      ...describeLeg(leg, keys[role]),
      ...shaping(device),
      broker: endpointOf(leg),
      mirror: mirror && role === 'publisher',
      share: device.share,
    };
  };
}

function describeLeg({ issued, access }: TrialLeg, payloadKey: PayloadKey | null) {
  return {
    authority: issued.authority ?? access.authority,
    serverName: access.serverName,
    certificate: issued.client,
    credentials: access.credentials,
    payloadKey,
  };
}

function endpointOf({ brokers: [{ address, port }] }: TrialLeg) {
  return { address, port };
}
