import type { Role } from '@mqttlab/shared/domain/devices/device';
import { neededRoles } from '@mqttlab/shared/domain/devices/device';
import { neutralSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import type { Counters, HistogramJson, RoleResult, Series } from '@mqttlab/shared/domain/runs/role-result';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram/histogram';

/** A repeatable stand-in for noise, -1 to 1. */
const wobble = (seed: number): number => Math.sin(seed * 12.9898) * Math.cos(seed * 4.1414);

function histogramAround(medianUs: number, count: number): HistogramJson {
  const histogram = new LatencyHistogram();
  for (let i = 0; i < count; i += 1) {
    histogram.record(medianUs * Math.exp(0.35 * wobble(i + medianUs) + 0.2 * wobble(i * 3.7)));
  }
  return histogram.toJson() as HistogramJson;
}

const seconds = Array.from({ length: 65 }, (_, i) => i - 5);

function seriesOf(metric: string, unit: string, value: (t: number) => number): Series {
  return { metric, unit, timesMs: seconds.map((t) => t * 1000), values: seconds.map(value) };
}

const load = (t: number) => (t < 0 ? 0.4 : 1);

function seriesFor(role: Role): Series[] {
  const base = { broker: 9, publisher: 6, bridge: 7, 'cloud-broker': 8, subscriber: 5 }[role];
  const core = (number: number) => (t: number) =>
    Math.max(
      0,
      Math.min(100, load(t) * (number === 1 ? 78 : 14 + number * 5) + 16 * wobble(t * (number + 2))),
    );
  return [
    ...[0, 1, 2, 3].map((number) => seriesOf(`cpu.core${number}`, '%', core(number))),
    seriesOf('cpu.device', '%', (t) => 32 * load(t) + wobble(t) * 3),
    seriesOf('cpu.process', '%', (t) => base * 8 * load(t) + wobble(t + 3) * 4),
    seriesOf('energy.power', 'W', (t) => 2.4 + base * 0.11 * load(t) + wobble(t + base) * 0.08),
    seriesOf('temperature.cpu', '°C', (t) => 48 + (t + 5) * 0.08),
  ];
}

const noCounters: Counters = {
  sent: 6000,
  acknowledged: 6000,
  received: 6000,
  duplicate: 0,
  reordered: 0,
  late: 0,
  unsent: 0,
  unstamped: 0,
  payloadBytesSent: 6000 * 100,
  payloadBytesReceived: 6000 * 100,
  carriedBytesSent: 6000 * 128,
  unauthentic: 0,
  replayed: 2,
  malformed: 0,
  connectionsOpened: 500,
  connectionsFailed: 1,
  connectionBytesSent: 1600 * 500,
  connectionBytesReceived: 3400 * 500,
  altered: 0,
  connectionsHeld: 0,
};

const perRole: Readonly<Record<Role, Partial<RoleResult>>> = {
  broker: {},
  bridge: {},
  'cloud-broker': {},
  publisher: {
    histograms: {
      'phase.tcp': histogramAround(420, 500),
      'phase.tls': histogramAround(8600, 500),
      'phase.connect': histogramAround(2100, 500),
      'phase.set-up': histogramAround(11_200, 500),
      encryption: histogramAround(6, 6000),
    },
    states: [
      { state: 'CON', bytesSent: 714, bytesReceived: 1864, frameBytes: 3420, frames: 12 },
      { state: 'SUB', bytesSent: 62, bytesReceived: 49, frameBytes: 306, frames: 3 },
      { state: 'PUB', bytesSent: 151, bytesReceived: 48, frameBytes: 394, frames: 3 },
      { state: 'DISC', bytesSent: 31, bytesReceived: 24, frameBytes: 319, frames: 4 },
    ],
    randomness: [
      { test: 'monobit', messages: 1000, passed: 991, meanP: 0.503 },
      { test: 'runs', messages: 1000, passed: 988, meanP: 0.497 },
      { test: 'approximate entropy', messages: 1000, passed: 990, meanP: 0.508 },
    ],
    perf: { cycles: 4.1e9, instructions: 5.2e9, cacheReferences: 8.1e7, cacheMisses: 4.4e6 },
  },
  subscriber: {
    latency: histogramAround(9200, 6000),
    histograms: { readingAge: histogramAround(14_600, 12_000), decryption: histogramAround(7, 6000) },
  },
};

function resultFor(role: Role): RoleResult {
  const uncertaintyUs = role === 'broker' ? 0 : 24;
  return {
    role,
    phases: [
      {
        phase: 'measure',
        startUs: 0,
        durationUs: 6e7,
        cpuUs: 2.7e6,
        energyJ: 178,
        bytesSent: 4.9e6,
        bytesReceived: 3e5,
        connections: 1,
      },
    ],
    device: '',
    share: { index: 0, of: 1 },
    upstream: null,
    shaping: [],
    tcp: null,
    bridge: null,
    negotiated: null,
    localPorts: [],
    counters: noCounters,
    throughput: null,
    latency: null,
    lateness: null,
    histograms: {},
    states: [],
    randomness: [],
    energy: {
      source: role === 'broker' ? 'INA219' : 'Raspberry Pi 4B model',
      quality: role === 'broker' ? 'measured' : 'modelled',
      detail: role === 'broker' ? 'i2c-1, 0x40' : 'idle 2.4 W, 1.1 W per busy core',
      baselineW: 2.4,
      measureJ: role === 'broker' ? 203 : 178,
      voltageV: role === 'broker' ? 5.1 : null,
      batteryMah: null,
    },
    perf: null,
    clock: {
      before: { offsetUs: role === 'broker' ? 0 : 1240, uncertaintyUs },
      after: { offsetUs: role === 'broker' ? 0 : 1251, uncertaintyUs },
    },
    series: seriesFor(role),
    environment: { 'clock.service': 'chrony', 'clock.synchronised': true },
    log: [],
    degraded: [],
    failure: null,
    ...perRole[role],
  };
}

/** A run that has everything a run page can show; figures are made up. */
export const sampleRun: RunDetail = {
  id: 27,
  experimentId: 118,
  trialNumber: 27,
  block: 3,
  treatmentKey: 'sample',
  attempt: 1,
  retryOf: null,
  status: 'done',
  startedAt: 0,
  finishedAt: 74_000,
  flagged: true,
  failure: null,
  verdicts: [
    { id: 'late', label: 'Kept its schedule', status: 'failed', evidence: 'lateness P99 4.1 ms, limit 1 ms' },
  ],
  metrics: {},
  notes: '',
  tags: [],
  exclusion: null,
  experimentName: 'Cipher cost on Ethernet and Wi-Fi',
  treatment: {
    key: 'sample',
    levels: {},
    label: 'TLS 1.3 AES-256-GCM',
    shortLabel: 'AES-256',
    mark: 3,
    colourLabel: 'AES-256',
    rowLabel: '',
    spec: { ...neutralSpec, payloadCipher: 'aes-256-gcm', warmUpMs: 5000, measureMs: 60_000 },
  },
  trialCount: 60,
  previousRunId: null,
  nextRunId: null,
  results: neededRoles.map(resultFor),
  devices: { broker: 'pi4-a', publisher: 'pi4-b', subscriber: 'pi4-c' },
  measuredAt: 0,
  overheadMs: 900,
  siblings: {},
};
