import { cloudLegOf } from '@mqttlab/shared/domain/devices/device';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { PayloadKey, PrepareBridge, PrepareClient, StartLoad } from '@mqttlab/shared/messages/agent';
import { LoadClient } from '../../load/load-client.ts';
import { hrtimeUs, MonotonicClock } from '../../load/pacing/clock.ts';
import { makeTestPayloadKeys } from '../../load/testing/payload-keys.ts';
import { findPayloadCipher } from '../../payload/payload-ciphers.ts';
import { makeTestCertificates, type TestCertificates } from '../../testing/certificates.ts';
import { makeTestSpec } from '../../testing/specs.ts';

export interface BridgedTrialOptions {
  spec: TrialSpec;
  /** Ports that the publisher and the bridge connect to: the same broker, unless a relay is in between. */
  localPort: number;
  bridgePort?: number;
  /** Cloud brokers, preferred one first. */
  cloudPorts: readonly number[];
  /** The broker of the subscriber; by default the first one. */
  subscriberPort?: number;
  certificates: TestCertificates;
}

/** The commands of all clients of a trial with a bridge. */
export interface BridgedCommands {
  publisher: PrepareClient;
  bridge: PrepareBridge;
  subscriber: PrepareClient;
}

/** As sent by the server: the publisher's key also to the bridge, the cloud key to bridge and subscriber. */
export function makeBridgedCommands(options: BridgedTrialOptions): BridgedCommands {
  const { spec, localPort, bridgePort = localPort, cloudPorts, certificates } = options;
  const { subscriberPort = cloudPorts[0] ?? 0 } = options;
  const cipher = spec.payloadCipher === null ? undefined : findPayloadCipher(spec.payloadCipher);
  const edge = cipher && makeTestPayloadKeys(cipher);
  const cloudKey: PayloadKey = makeTestPayloadKeys(findPayloadCipher('aes-256-gcm')!).publisher;
  const { authority, serverName } = certificates;
  const at = (port: number) => ({ address: '127.0.0.1', port });
  const own = { certificate: null, credentials: null };
  const common = { energySource: null, runTag: 0x5eed, clock: { offsetUs: 0, uncertaintyUs: 0 } };
  const client = { kind: 'prepare-client', mirror: false, share: null, ...own, ...common } as const;
  const plain = { authority: null, serverName, ...own };
  return {
    publisher: {
      ...client,
      role: 'publisher',
      spec,
      broker: at(localPort),
      authority: null,
      serverName,
      payloadKey: edge?.publisher ?? null,
    },
    bridge: {
      kind: 'prepare-bridge',
      ...common,
      spec,
      local: { ...plain, broker: at(bridgePort), payloadKey: edge?.subscriber ?? null },
      cloud: { ...own, authority, serverName, brokers: cloudPorts.map(at), payloadKey: cloudKey },
    },
    subscriber: {
      ...client,
      role: 'subscriber',
      spec: cloudLegOf(spec),
      broker: at(subscriberPort),
      authority,
      serverName,
      payloadKey: cloudKey,
    },
  };
}

export function makeBridgedSpec(change: Partial<TrialSpec> = {}): TrialSpec {
  return makeTestSpec({
    topology: 're-encrypting bridge',
    payloadCipher: 'chacha20-poly1305',
    mqttVersion: '5.0',
    warmUpMs: 50,
    measureMs: 400,
    window: 1_000,
    drainTimeoutMs: 8_000,
    ...change,
  });
}

/** TLS of the cloud broker, which sends only its own certificate. */
export function makeCloudCertificates(): TestCertificates {
  const certificates = makeTestCertificates('ECDSA P-256');
  const end = '-----END CERTIFICATE-----\n';
  return { ...certificates, certificateChain: certificates.certificateChain.split(end)[0] + end };
}

/** Publisher and subscriber of a bridged trial in this process. */
export function makeEnds(commands: BridgedCommands) {
  const failures: string[] = [];
  const make = (command: PrepareClient) =>
    new LoadClient({
      command,
      clock: new MonotonicClock().calibrate(),
      onPhase: () => {},
      onFailure: ({ message }) => failures.push(message),
      rehearses: false,
    });
  return { publisher: make(commands.publisher), subscriber: make(commands.subscriber), failures };
}

export function makeStartSoon({ warmUpMs, measureMs }: TrialSpec): StartLoad {
  const warmUpAtUs = hrtimeUs() + 50_000;
  const measureAtUs = warmUpAtUs + warmUpMs * 1_000;
  return { kind: 'start', warmUpAtUs, measureAtUs, stopAtUs: measureAtUs + measureMs * 1_000 };
}
