import { createPublicKey, generateKeyPairSync, randomBytes, randomInt } from 'node:crypto';
import { findPayloadCipherDefinition } from '@mqttlab/shared/catalogue/ciphers/payload-ciphers';
import { planShaping, type ShapingEnd } from '@mqttlab/shared/catalogue/plan-shaping';
import type { brokerRoles } from '@mqttlab/shared/domain/devices/device';
import type { ExternalBroker } from '@mqttlab/shared/domain/devices/external-broker';
import type { ExternalDevice } from '@mqttlab/shared/domain/devices/external-device';
import type { ShapingOrder } from '@mqttlab/shared/domain/plans/impairment';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { ClockOffset } from '@mqttlab/shared/domain/runs/role-result';
import { Failure } from '@mqttlab/shared/kit/failure';
import {
  type AgentCommand,
  type BrokerReady,
  brokerReadySchema,
  type PayloadKey,
  type PrepareBroker,
  type PrepareClient,
} from '@mqttlab/shared/messages/agent';
import { needsMirror } from '../devices/device-clocks.ts';
import { brokerServerName, type Certificates } from '../provisioning/certificates.ts';
import type { Stores } from '../store/stores.ts';
import { type RunDevice, type RunDevices, specOf } from './run-devices.ts';

/** One leg of a trial, with its running brokers and the clients' access to them. */
interface TrialLeg {
  spec: TrialSpec;
  access: BrokerAccess;
  issued: RunCertificates;
  /** At least one broker, in the order of the testbed. */
  brokers: readonly [BrokerReady, ...BrokerReady[]];
}

interface LegServices {
  certificates: Certificates;
  stores: Pick<Stores, 'brokers' | 'externalDevices' | 'testbeds'>;
}

interface LegRequest {
  devices: RunDevices;
  role: (typeof brokerRoles)[number];
  testbedId: string;
  spec: TrialSpec;
  clockOf: (device: RunDevice) => ClockOffset;
  shaping: ReturnType<typeof shapeLinks>;
  timeoutMs: number;
}

/** Issues certificates and starts the brokers of a leg. Rejects with Failure. */
export async function startLeg(
  services: LegServices,
  { devices, role, testbedId, spec, clockOf, shaping, timeoutMs }: LegRequest,
): Promise<TrialLeg> {
  const own = devices.of(role);
  const access = await findBrokerAccess(services, { testbedId, spec });
  const addresses = own.flatMap(({ link }) => link.capabilities.interfaces.map(({ address }) => address));
  const issuing = issueRunCertificates(services.certificates, { testbedId, spec, addresses });
  const issued = await devices.unlessBroken(issuing);
  const ports = services.stores.testbeds.findTestbedRecord(testbedId)?.brokerPorts ?? null;
  const prepare = (device: RunDevice): AgentCommand => ({
    kind: 'prepare-broker',
    role,
    spec: specOf(device, spec),
    tls: issued.broker,
    external: access.external,
    ...(access.fixedListener && { fixedListener: access.fixedListener }),
    ...(ports && { ports }),
    ...shaping(device),
    energySource: null,
    clock: clockOf(device),
  });
  const [first, ...others] = await devices.askAll(own, prepare, { schema: brokerReadySchema, timeoutMs });
  if (first === undefined) throw new Error(`no device has the role ${role}`);
  return { spec, access, issued, brokers: [first, ...others] };
}

interface BrokerAccess {
  /** The external broker; null if the testbed starts the broker itself. */
  external: ExternalBroker | null;
  /**
   * PEM with which to verify the broker's certificate; null without TLS, and if the issued certificate
   * includes it.
   */
  authority: string | null;
  serverName: string;
  credentials: { username: string; password: string } | null;
  /** The device without an agent that replaces the device in its role, if any. */
  device?: ExternalDevice;
  /** The device's private key (PEM), for payload ciphers. */
  payloadKey?: string;
  /** The broker's listener and logins for the device. */
  fixedListener?: PrepareBroker['fixedListener'];
}

/**
 * Returns the clients' access to the broker of a trial. Throws Failure if a required external broker is not configured.
 */
async function findBrokerAccess(
  services: LegServices,
  { testbedId, spec }: { testbedId: string; spec: TrialSpec },
): Promise<BrokerAccess> {
  if (spec.client === 'external device') return openEntrance(services, { testbedId, spec });
  if (spec.broker !== 'external') {
    return { external: null, authority: null, serverName: brokerServerName, credentials: null };
  }
  const external = services.stores.brokers.findExternalBroker(testbedId);
  if (external === null) {
    throw new Failure({
      code: 'no-external-broker',
      message: 'This testbed no longer has an external broker.',
      remedy: 'Set it up again on the Devices page, then retry the run.',
    });
  }
  return {
    external,
    authority:
      spec.security === 'plain' ? null : (external.authority ?? (await ownAuthority(services, testbedId))),
    serverName: external.serverName ?? external.address,
    credentials: services.stores.brokers.findBrokerCredentials(testbedId),
  };
}

/**
 * Returns the access for a device without an agent, which has one port per security level and its own
 * password. Other clients get a password for this run.
 */
function openEntrance(
  { stores: { externalDevices } }: LegServices,
  { testbedId, spec }: { testbedId: string; spec: TrialSpec },
): BrokerAccess {
  const device = externalDevices.findExternalDevice(testbedId);
  const secrets = externalDevices.findDeviceSecrets(testbedId);
  if (device === null || secrets === null) {
    throw new Failure({
      code: 'no-external-device',
      message: 'This testbed no longer has an external device, or its password and key were lost.',
      remedy: 'Set it up again on the Devices page, then retry the run.',
    });
  }
  const credentials = { username: 'mqttlab agents', password: randomBytes(15).toString('base64url') };
  const logins = [{ username: device.name, password: secrets.password }, credentials];
  const port = spec.security === 'plain' ? device.port : device.tlsPort;
  return {
    external: null,
    authority: null,
    serverName: brokerServerName,
    credentials,
    device,
    payloadKey: secrets.payloadKey,
    fixedListener: { port, logins },
  };
}

async function ownAuthority(
  { certificates }: { certificates: Certificates },
  testbedId: string,
): Promise<string> {
  const { authority } = await certificates.forBroker({
    testbedId,
    kind: 'ECDSA P-256',
    chainLength: 1,
    addresses: [],
  });
  return authority;
}

interface RunCertificates {
  /** The broker's certificates; null without TLS and for an external broker. */
  broker: PrepareBroker['tls'];
  /** PEM with which to verify the broker. */
  authority: string | null;
  /** The clients' certificate; null without mutual TLS. */
  client: PrepareClient['certificate'];
}

/**
 * Resolves with the certificates for one run by kind and chain length; the first certificate of a kind may
 * take seconds to create.
 */
async function issueRunCertificates(
  certificates: Certificates,
  { testbedId, spec, addresses }: { testbedId: string; spec: TrialSpec; addresses: readonly string[] },
): Promise<RunCertificates> {
  const { certificate: kind, chainLength } = spec;
  if (kind === null || spec.broker === 'external') return { broker: null, authority: null, client: null };
  const { certificateChain, privateKey, authority } = await certificates.forBroker({
    testbedId,
    kind,
    addresses,
    chainLength: chainLength ?? 1,
  });
  const client =
    spec.clientCertificate === 'mutual TLS' ? await certificates.forClients({ testbedId, kind }) : null;
  return {
    broker: { certificateChain, privateKey, clientAuthority: client?.authority ?? null },
    authority,
    client: client && { certificateChain: client.certificateChain, privateKey: client.privateKey },
  };
}

/**
 * Returns the impairment that each device applies to its links. Throws Failure if a device cannot apply its
 * impairment.
 */
export function shapeLinks(
  { impairment }: TrialSpec,
  devices: readonly RunDevice[],
): (device: RunDevice) => ShapingPart {
  const ends = devices.map(
    ({ deviceId, name, role, link }): ShapingEnd => ({
      id: deviceId,
      name,
      role,
      shaping: link.capabilities.shaping,
    }),
  );
  const plan = planShaping(impairment, ends);
  if (!plan.ok) {
    const { reason, remedy } = plan.refusal;
    throw new Failure({ code: 'link-not-impaired', message: `The run was not started: ${reason}.`, remedy });
  }
  return ({ deviceId }) => {
    const shaping = plan.orders.get(deviceId);
    return shaping === undefined ? {} : { shaping };
  };
}

/** The part of a prepare command that concerns the links of a device. */
type ShapingPart = { shaping?: ShapingOrder };

interface ClientCommandsRequest {
  devices: RunDevices;
  /** Leg from the publisher to its broker. */
  edge: TrialLeg;
  /** From the bridge to the subscriber; null without a bridge, in which case one leg serves all clients. */
  cloud: TrialLeg | null;
  clockOf: (device: RunDevice) => ClockOffset;
  shaping: ReturnType<typeof shapeLinks>;
}

/**
 * Creates the prepare command for each client's device, with one run tag, and a set of payload keys per leg.
 * With a bridge, the publisher's key is sent to the bridge, and the bridge's own key is sent to the
 * subscriber.
 */
export function makeClientCommands(request: ClientCommandsRequest): (device: RunDevice) => AgentCommand {
  const { devices, edge, cloud, clockOf, shaping } = request;
  const runTag = randomInt(2 ** 32);
  const edgeKeys = makePayloadKeys(edge.spec, edge.access.payloadKey);
  const cloudKeys = cloud && makePayloadKeys(cloud.spec);
  const linksOf = (role: 'publisher' | 'subscriber') => devices.of(role).map(({ link }) => link);
  // With a bridge, a round trip to the broker excludes the path to the subscriber.
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
      // The publisher's clock times messages that a subscriber without an agent returns.
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
 * Creates keys for one run, which are only sent to its two client devices and not stored. They are a shared
 * secret, or for each end its own private key and the other end's public key on P-256. `deviceKey` is the
 * private key of a publisher without an agent, which already has it. Throws Failure for a cipher that is not
 * in the catalogue.
 */
export function makePayloadKeys(
  { payloadCipher }: Pick<TrialSpec, 'payloadCipher'>,
  deviceKey?: string,
): PayloadKeys {
  if (payloadCipher === null) return { publisher: null, subscriber: null };
  const cipher = findPayloadCipherDefinition(payloadCipher);
  if (cipher === undefined) {
    throw new Failure({
      code: 'payload-cipher',
      message: `This server does not support the payload cipher "${payloadCipher}".`,
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

/** Creates a key pair on NIST P-256 (secp256r1), in PEM. */
function makeKeyPair(): { privateKey: string; publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}
