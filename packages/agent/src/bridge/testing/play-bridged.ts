import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Drained } from '@mqttlab/shared/messages/agent';
import { MonotonicClock } from '../../load/pacing/clock.ts';
import { startTestBroker, type TestBroker } from '../../load/testing/test-broker.ts';
import type { LoadResult } from '../../load/worker-messages.ts';
import type { TestCertificates } from '../../testing/certificates.ts';
import { BridgeClient } from '../bridge-client.ts';
import { makeBridgedCommands, makeCloudCertificates, makeEnds, makeStartSoon } from './bridged-trial.ts';

/** A plain local broker and one with TLS 1.3 for the cloud. */
export interface Bridged {
  local: TestBroker;
  cloud: TestBroker;
  certificates: TestCertificates;
  stop: () => Promise<void>;
}

export async function startBridged(): Promise<Bridged> {
  const certificates = makeCloudCertificates();
  const local = await startTestBroker();
  const cloud = await startTestBroker({ certificates });
  const stop = async (): Promise<void> => {
    await local.stop();
    await cloud.stop();
  };
  return { local, cloud, certificates, stop };
}

export interface BridgedPlay {
  spec: TrialSpec;
  /** Address of the local broker for the bridge, if not direct. */
  bridgePort?: number;
  /** Addresses of the cloud for the bridge, preferred one first. */
  cloudPorts?: readonly number[];
  rehearses?: boolean;
  /** Heartbeat interval; two missed ones end a connection, so it is long unless the test is about them. */
  heartbeatMs?: number;
  /** Messages of the measure phase that were altered between local broker and bridge. */
  altered?: () => number;
  /** Called during the load. */
  during?: () => Promise<void>;
}

export interface BridgedTrial {
  publisher: LoadResult;
  bridge: LoadResult;
  subscriber: LoadResult;
  sent: Drained;
  failures: string[];
  logs: string[];
}

/** Runs all three clients within this process, in the order in which the server commands them. */
export async function playBridged(brokers: Bridged, options: BridgedPlay): Promise<BridgedTrial> {
  const { local, cloud, certificates } = brokers;
  const {
    spec,
    bridgePort = local.port,
    cloudPorts = [cloud.port],
    during,
    rehearses = false,
    heartbeatMs = 60_000,
    altered = () => 0,
  } = options;
  const commands = makeBridgedCommands({
    spec,
    localPort: local.port,
    bridgePort,
    cloudPorts,
    certificates,
    subscriberPort: cloud.port,
  });
  const { publisher, subscriber, failures } = makeEnds(commands);
  const logs: string[] = [];
  const bridge = new BridgeClient({
    command: commands.bridge,
    clock: new MonotonicClock().calibrate(),
    onPhase: () => {},
    onLog: (_level, text) => logs.push(text),
    heartbeatMs,
    rehearses,
  });
  const all = [subscriber, bridge, publisher];
  try {
    for (const each of all) await each.prepare();
    for (const each of all) await each.connect();
    const at = makeStartSoon(spec);
    for (const each of all) each.start(at);
    const [sent] = await Promise.all([publisher.drain(null), during?.()]);
    const passed = await bridge.drain(sent.messages - altered());
    await subscriber.drain(passed.messages);
    return {
      publisher: await publisher.finish(),
      bridge: await bridge.finish(),
      subscriber: await subscriber.finish(),
      sent,
      failures,
      logs,
    };
  } finally {
    await Promise.all(all.map((each) => each.finish()));
  }
}
