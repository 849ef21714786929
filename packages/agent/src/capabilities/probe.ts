import { hostname, machine, release, totalmem } from 'node:os';
import type { AgentCapabilities, TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import type { ShapingCapability } from '@mqttlab/shared/domain/plans/impairment';
import { applicationProtocols } from '@mqttlab/shared/domain/plans/trial-spec';
import agentPackage from '../../package.json' with { type: 'json' };
import { readDiskFree, readText } from '../base/kernel-files.ts';
import type { BrokerOffer, ProgramEntry } from '../brokers/broker.ts';
import { brokerProbes } from '../brokers/list.ts';
import { type CaptureOffer, findCapture } from '../capture/find-capture.ts';
import { readBootId } from '../children/child-records.ts';
import { findClients } from '../clients/client-kinds.ts';
import { findOfferedPayloadCiphers } from '../payload/payload-ciphers.ts';
import { probeNodeTls } from '../tls/tls-library.ts';
import { readCpuInfo } from './cpu-info.ts';
import { readAddresses, readNetworkInterfaces } from './network-interfaces.ts';
import { probeSensors, type SensorOptions, type Sensors } from './sensors.ts';

export interface ProbeOptions extends SensorOptions {
  /** null: it was not tried. */
  shaping: () => ShapingCapability | null;
  dataFolder: string;
  entry: ProgramEntry;
  /** Broker kinds to look for, the preferred one first. */
  brokers: readonly (keyof typeof brokerProbes)[];
}

/** What stays the same while the agent runs: found out once. */
export interface FixedCapabilities {
  tls: TlsCapability;
  offers: readonly BrokerOffer[];
  /** Ids. */
  payloadCiphers: readonly string[];
  sensors: Sensors;
  capture: CaptureOffer;
  /** Engines besides our own. */
  clients: AgentCapabilities['clients'];
}

const agentVersion = agentPackage.version;

/** Tries TLS, looks for brokers and asks the sensors; about 0.1 s, at most a few seconds where one hangs. */
export async function probeFixedCapabilities(options: ProbeOptions): Promise<FixedCapabilities> {
  const nodeTls = probeNodeTls();
  const probes = options.brokers.map((kind) => brokerProbes[kind]({ entry: options.entry, nodeTls }));
  const sensors = probeSensors(options);
  const capturing = findCapture();
  const offers = (await Promise.all(probes)).filter((offer) => offer !== null);
  const payloadCiphers = await findOfferedPayloadCiphers();
  const clients = await findClients();
  return {
    tls: await nodeTls,
    offers,
    payloadCiphers,
    clients,
    sensors: await sensors,
    capture: await capturing,
  };
}

/** Everything this device announces, as of now: interfaces and free disk change. */
export async function readCapabilities(
  options: ProbeOptions,
  fixed: FixedCapabilities,
): Promise<AgentCapabilities> {
  const cpu = readCpuInfo(options.procRoot);
  return {
    agentVersion,
    hostname: hostname(),
    bootId: readBootId(options.procRoot),
    os: readOsName(),
    kernel: release(),
    architecture: machine(),
    cpuModel: cpu.model,
    cpuCores: cpu.cores,
    cpuFeatures: cpu.features,
    memoryBytes: totalmem(),
    diskFreeBytes: await readDiskFree(options.dataFolder),
    nodeVersion: process.versions.node,
    interfaces: readNetworkInterfaces(options.sysRoot, readAddresses()),
    tls: fixed.tls,
    brokers: fixed.offers.map(({ capability }) => capability),
    clients: [{ engine: 'native', version: agentVersion, tls: null }, ...fixed.clients],
    applicationProtocols: [...applicationProtocols],
    payloadCiphers: [...fixed.payloadCiphers],
    energy: [...fixed.sensors.power.found],
    energyChoice: fixed.sensors.power.energySource,
    perfRefusal: fixed.sensors.perfRefusal,
    captureRefusal: fixed.capture.refusal,
    timeService: fixed.sensors.timeService(),
    throttlingSource: fixed.sensors.throttling?.name ?? null,
    shaping: options.shaping(),
  };
}

/** PRETTY_NAME of os-release(5). */
function readOsName(): string {
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(readText('/etc/os-release') ?? '')?.[1] ?? process.platform;
}
