import { readFileSync } from 'node:fs';
import { hostname, machine, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { AgentCapabilities, TlsCapability } from '@mqttlab/shared/domain/devices/capabilities';
import type { ShapingCapability } from '@mqttlab/shared/domain/plans/impairment';
import { applicationProtocols } from '@mqttlab/shared/domain/plans/trial-spec';
import agentPackage from '../../package.json' with { type: 'json' };
import type { BrokerOffer, ProgramEntry } from '../brokers/broker.ts';
import { brokerProbes } from '../brokers/list.ts';
import { findClients } from '../clients/client-kinds.ts';
import { findCapture } from '../instruments/capture/packet-capture.ts';
import type { CaptureOffer, Sensors } from '../instruments/instrument.ts';
import { probeSensors, type SensorOptions } from '../instruments/sensors.ts';
import { findOfferedPayloadCiphers } from '../payload/payload-ciphers.ts';
import { readBootId } from '../processes/child-records.ts';
import { readDiskFree, readText } from '../processes/files.ts';
import { readAddresses, readNetworkInterfaces } from '../processes/network.ts';
import { probeNodeTls } from '../tls/tls-library.ts';

export interface ProbeOptions extends SensorOptions {
  /** null: not tested. */
  shaping: () => ShapingCapability | null;
  dataFolder: string;
  entry: ProgramEntry;
  /** Broker kinds to search for, preferred kind first. */
  brokers: readonly (keyof typeof brokerProbes)[];
}

/** Capabilities that stay the same while the agent is running; detected once. */
export interface FixedCapabilities {
  tls: TlsCapability;
  offers: readonly BrokerOffer[];
  /** Ids. */
  payloadCiphers: readonly string[];
  sensors: Sensors;
  capture: CaptureOffer;
  /** Client engines other than the built-in engine. */
  clients: AgentCapabilities['clients'];
}

const agentVersion = agentPackage.version;

/**
 * Tests TLS, searches for brokers and queries the sensors. Takes about 0.1 s, or at most a few seconds if one
 * of them hangs.
 */
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

/** Returns everything that this device announces, with its current interfaces and free disk space. */
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

/** Returns PRETTY_NAME from os-release(5). */
function readOsName(): string {
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(readText('/etc/os-release') ?? '')?.[1] ?? process.platform;
}

interface CpuInfo {
  model: string;
  cores: number;
  /** CPU features that matter for cryptography, with common names for x86 and ARM. */
  features: string[];
}

/** Names in /proc/cpuinfo ("flags" on x86, "Features" on ARM) and their names in mqttlab. */
const featureNames: Readonly<Record<string, string>> = {
  aes: 'aes',
  pclmulqdq: 'pclmulqdq',
  vaes: 'vaes',
  pmull: 'pmull',
  avx2: 'avx2',
  avx512f: 'avx512f',
  neon: 'neon',
  asimd: 'neon',
  sha_ni: 'sha2',
  sha2: 'sha2',
};

/** ARM's part numbers (MIDR_EL1) of common boards; /proc/cpuinfo contains no names for them. */
const armParts: Readonly<Record<string, string>> = {
  '0xb76': 'ARM1176',
  '0xc07': 'Cortex-A7',
  '0xd03': 'Cortex-A53',
  '0xd04': 'Cortex-A35',
  '0xd05': 'Cortex-A55',
  '0xd08': 'Cortex-A72',
  '0xd0b': 'Cortex-A76',
  '0xd0c': 'Neoverse-N1',
};

/** Reads /proc/cpuinfo; throws the system's error if there is none. */
export function readCpuInfo(procRoot: string): CpuInfo {
  return parseCpuInfo(readFileSync(join(procRoot, 'cpuinfo'), 'utf8'));
}

export function parseCpuInfo(text: string): CpuInfo {
  const first = new Map<string, string>();
  let cores = 0;
  for (const line of text.split('\n')) {
    const [, name, value] = /^([^:\t]+?)\s*:\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    if (name === 'processor' && /^\d+$/.test(value)) cores += 1;
    if (!first.has(name)) first.set(name, value.trim());
  }
  const words = (first.get('flags') ?? first.get('Features') ?? '').split(/\s+/);
  const features = new Set(words.flatMap((word) => featureNames[word] ?? []));
  return { model: modelOf(first), cores: Math.max(cores, 1), features: [...features].sort() };
}

/**
 * Returns for example "Raspberry Pi 4 Model B Rev 1.4 (Cortex-A72)", or the name that an x86 processor
 * reports.
 */
function modelOf(fields: ReadonlyMap<string, string>): string {
  const part = armParts[fields.get('CPU part') ?? ''];
  const board = fields.get('Model') ?? fields.get('Hardware');
  if (board !== undefined) return part === undefined ? board : `${board} (${part})`;
  return fields.get('model name') ?? part ?? 'unknown';
}
