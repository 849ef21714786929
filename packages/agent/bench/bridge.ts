import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { PayloadKey } from '@mqttlab/shared/messages/agent';
import { type BenchRow, figure, makeRow, median } from '@mqttlab/shared/testing/bench';
import { within } from '@mqttlab/shared/testing/within';
import { makeBridgedCommands, makeCloudCertificates } from '../src/bridge/testing/bridged-trial.ts';
import type { TestCertificates } from '../src/testing/certificates.ts';
import { BenchBroker } from './bench-broker.ts';
import { BridgeProcess } from './bridge-process.ts';
import { readCpuUs } from './cpu-clock.ts';
import { LoadRun, makeBenchSpec } from './load-run.ts';

const forwardMs = 120_000;

const queued = 40_000;
const minPerSecond = 20_000;
const pacedPerSecond = 4_000;
const topic = 'bench/bridge';

/**
 * Messages of 1 KB at QoS 1, with ChaCha20-Poly1305 at the edge, and AES-256-GCM and TLS 1.3 to the cloud.
 */
const spec: TrialSpec = makeBenchSpec({
  topology: 're-encrypting bridge',
  payloadCipher: 'chacha20-poly1305',
  mqttVersion: '5.0',
  qos: 1,
  readingBytes: 1024,
  window: 2_000,
  topic,
});

const paced: TrialSpec = { ...spec, readingsPerSecond: pacedPerSecond, measureMs: 3_000, warmUpMs: 0 };

/**
 * Measures how fast the bridge empties a waiting queue, and the cost of a message compared with Mosquitto's
 * own bridge.
 */
export async function benchBridge(repetitions: number): Promise<BenchRow[]> {
  const certificates = makeCloudCertificates();
  const figures = { drains: [] as Drain[], ours: [] as number[], theirs: [] as number[] };
  for (let i = 0; i < repetitions; i += 1) {
    figures.drains.push(await measureDrain(certificates));
    figures.ours.push(await measureOurs(certificates));
    figures.theirs.push(await measureMosquitto(certificates));
  }
  // Other work on the machine slows the bridge down, so the fastest repetition counts.
  const perSecond = Math.max(...figures.drains.map((drain) => drain.perSecond));
  const [ours, theirs] = [median(figures.ours), median(figures.theirs)];
  const unit = 'µs CPU/message';
  const name = 're-encrypting bridge, 1 KB, QoS 1, a queue emptied';
  const alone = median(figures.drains.map(({ cpuUs }) => cpuUs));
  return [
    makeRow({ name, value: perSecond, unit: 'messages/s', atLeast: minPerSecond }),
    figure(`${name}, the bridge alone`, alone, unit),
    makeRow({
      name: `local broker and bridge, 1 KB, QoS 1, ${pacedPerSecond}/s`,
      value: ours,
      unit,
      beside: { program: 'mosquitto bridging without re-encryption', reference: theirs },
    }),
  ];
}

/** Timeout in ms, so that a hanging bridge fails the benchmark. */
async function untilForwarded(bridge: { readonly forwarded: number }, messages: number): Promise<void> {
  const wanted = async (): Promise<void> => {
    while (!ended && bridge.forwarded < messages) await wait(5);
  };
  let ended = false;
  try {
    await within(forwardMs, `the bridge forwards ${messages} messages`, wanted());
  } finally {
    ended = true;
  }
}

interface Drain {
  perSecond: number;
  /** CPU time of the bridge alone, per message. */
  cpuUs: number;
}

/** Fills a queue on the local broker that waits for the bridge. */
async function measureDrain(certificates: TestCertificates): Promise<Drain> {
  return await withBrokers({ certificates }, async (local, cloud) => {
    const commands = makeBridgedCommands({
      spec,
      localPort: local.port,
      cloudPorts: [cloud.port],
      certificates,
    });
    // A first bridge creates the session in which messages for the next bridge are queued.
    await new BridgeProcess(commands.bridge).run(async () => {});
    const { payloadKey } = commands.publisher;
    const ahead = { ...spec, readingsPerSecond: queued / 4, measureMs: 4_000, warmUpMs: 0 };
    await publish(local.port, ahead, payloadKey);
    return await new BridgeProcess(commands.bridge).run(async (bridge) => {
      await untilForwarded(bridge, queued);
      const seconds = (performance.now() - bridge.connectedMs) / 1000;
      return { perSecond: queued / seconds, cpuUs: (cpuOf([bridge.pid]) - bridge.preparedCpuUs) / queued };
    });
  });
}

/**
 * Returns the CPU time per message in µs, for the bridge and for the additional subscriber on the local
 * broker.
 */
async function measureOurs(certificates: TestCertificates): Promise<number> {
  return await withBrokers({ certificates }, async (local, cloud) => {
    const commands = makeBridgedCommands({
      spec,
      localPort: local.port,
      cloudPorts: [cloud.port],
      certificates,
    });
    return await new BridgeProcess(commands.bridge).run(async (bridge) => {
      const pids = [local.pid, bridge.pid];
      const before = cpuOf(pids);
      const sent = await publish(local.port, paced, commands.publisher.payloadKey);
      await untilForwarded(bridge, sent);
      return (cpuOf(pids) - before) / sent;
    });
  });
}

/** Measures the same for Mosquitto's own bridge, which also uses TLS 1.3 but does not re-encrypt. */
async function measureMosquitto(certificates: TestCertificates): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'bridge-bench-'));
  try {
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, certificates.authority);
    const bridging = (cloudPort: number): string[] => [
      'connection cloud',
      `address 127.0.0.1:${cloudPort}`,
      `topic ${topic} out 1`,
      `bridge_cafile ${authority}`,
      'bridge_tls_version tlsv1.3',
      // With MQTT 5 and unlimited messages in flight, Mosquitto 2.0 violates the protocol when it acts as a
      // bridge.
      'bridge_protocol_version mqttv311',
      'notifications false',
    ];
    return await withBrokers({ certificates, bridging }, async (local, cloud) => {
      const commands = makeBridgedCommands({
        spec,
        localPort: local.port,
        cloudPorts: [cloud.port],
        certificates,
      });
      await wait(1_000);
      const [before, cloudBefore] = [cpuOf([local.pid]), cpuOf([cloud.pid])];
      const sent = await publish(local.port, paced, commands.publisher.payloadKey);
      await wait(500);
      // A bridge that never connected has no cost and would be a useless reference.
      if ((cpuOf([cloud.pid]) - cloudBefore) / sent < 1) throw new Error('mosquitto does not bridge');
      return (cpuOf([local.pid]) - before) / sent;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Brokers {
  certificates: TestCertificates;
  /** Returns lines of mosquitto.conf for the local broker's built-in bridge. */
  bridging?: (cloudPort: number) => string[];
}

async function withBrokers<T>(
  { certificates, bridging = () => [] }: Brokers,
  work: (local: BenchBroker, cloud: BenchBroker) => Promise<T>,
): Promise<T> {
  const cloud = await new BenchBroker().start(certificates);
  const local = new BenchBroker();
  try {
    await local.start(undefined, bridging(cloud.port));
    return await work(local, cloud);
  } finally {
    await local.stop();
    await cloud.stop();
  }
}

/** Publishes messages and returns their number. */
async function publish(port: number, own: TrialSpec, payloadKey: PayloadKey | null): Promise<number> {
  const run = new LoadRun({ port, role: 'publisher', spec: own, ...(payloadKey && { payloadKey }) });
  await run.connect();
  await run.measure();
  return (await run.finish()).messages;
}

function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + readCpuUs(pid), 0);
}
