import { createPublicKey, generateKeyPairSync, randomBytes, randomInt } from 'node:crypto';
import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ClockOffset } from '@mqttlab/shared/domain/runs/role-result';
import type { AgentCommand, PayloadKey, PrepareClient } from '@mqttlab/shared/messages/agent';
import { needsMirror } from '../testbed/device-clocks.ts';
import { type RunDevice, type RunDevices, specOf } from './run-devices.ts';
import { RunError } from './run-failures.ts';
import type { shapeLinks, TrialLeg } from './trial-leg.ts';

interface ClientCommandsRequest {
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
  const edgeKeys = makePayloadKeys(edge.spec, edge.access.payloadKey);
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
      ...(leg.access.device && { external: leg.access.device }),
      // What a subscriber without an agent sends back is timed by the publisher's clock.
      mirror: (mirror || leg.access.device?.role === 'subscriber') && role === 'publisher',
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

type PayloadKeys = Readonly<Record<PrepareClient['role'], PayloadKey | null>>;

/**
 * Fresh keys of one Run: they travel to its two client devices and are kept nowhere. A shared secret, or for each end
 * its own private and the other's public key on P-256; `deviceKey` is the private one of a publisher without an agent,
 * which has it already. Throws RunError on a cipher that is not in the catalogue.
 */
export function makePayloadKeys(
  { payloadCipher }: Pick<TrialSpec, 'payloadCipher'>,
  deviceKey?: string,
): PayloadKeys {
  if (payloadCipher === null) return { publisher: null, subscriber: null };
  const cipher = findPayloadCipherDefinition(payloadCipher);
  if (cipher === undefined) {
    throw new RunError({
      code: 'payload-cipher',
      message: `This server knows no payload cipher "${payloadCipher}".`,
      remedy: 'Choose another level of the factor "Payload cipher", or upgrade the server.',
    });
  }
  if (cipher.keyAgreement === null) {
    const key = { kind: 'secret', secret: randomBytes(cipher.keyBytes).toString('base64') } as const;
    return { publisher: key, subscriber: key };
  }
  const [publisher, subscriber] = [makeKeyPair(), makeKeyPair()];
  const half = (own: typeof publisher, peer: typeof publisher) =>
    ({ kind: 'agreement', ownPrivateKey: own.privateKey, peerPublicKey: peer.publicKey }) as const;
  if (deviceKey === undefined) {
    return { publisher: half(publisher, subscriber), subscriber: half(subscriber, publisher) };
  }
  const device = { privateKey: deviceKey, publicKey: publicKeyOf(deviceKey) };
  return {
    publisher: { kind: 'peer', peerPublicKey: subscriber.publicKey },
    subscriber: half(subscriber, device),
  };
}

function publicKeyOf(privateKey: string): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
}

/** NIST P-256, which is secp256r1, in PEM. */
function makeKeyPair(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}
