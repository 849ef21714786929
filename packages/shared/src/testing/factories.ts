import { payloadCipherDefinitions } from '../catalogue/ciphers/payload-ciphers.ts';
import { makeTourDraft } from '../catalogue/tour.ts';
import type { AgentCapabilities, TestbedCapabilities } from '../domain/devices/capabilities.ts';
import { neededRoles, type Role } from '../domain/devices/device.ts';
import type { ExperimentDraft, Workload } from '../domain/plans/experiment-draft.ts';
import { applicationProtocols, neutralSpec, type TrialSpec } from '../domain/plans/trial-spec.ts';
import { makeCounters } from '../domain/runs/counters.ts';
import type { HistogramJson, Negotiated, RoleResult } from '../domain/runs/role-result.ts';
import type { ArrivedThroughput, SentThroughput, Throughput } from '../domain/runs/throughput.ts';
import { LatencyHistogram } from '../statistics/histogram/histogram.ts';

export { makeCounters };

const suites = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'AES256-GCM-SHA384',
];

/** Capabilities of a test machine; its client supports a group that its broker does not. */
export function makeCapabilities(role: Role, change: Partial<AgentCapabilities> = {}): AgentCapabilities {
  const tls = {
    library: 'OpenSSL 3.0.20',
    suites,
    groups: ['X25519', 'P-256', 'P-384'],
    certificates: ['ECDSA P-256' as const, 'RSA 2048' as const],
  };
  return {
    agentVersion: '0.1.0',
    hostname: 'bench',
    bootId: 'boot-1',
    os: 'Debian 12',
    kernel: '6.6.0',
    architecture: 'x86_64',
    cpuModel: 'Test CPU',
    cpuCores: 4,
    cpuFeatures: ['aes'],
    memoryBytes: 8e9,
    diskFreeBytes: 1e11,
    nodeVersion: '24.21.0',
    interfaces: [
      { name: 'lo', kind: 'loopback', address: '127.0.0.1', up: true },
      { name: 'wlan0', kind: 'wifi', address: '192.0.2.7', up: false },
    ],
    tls: { ...tls, library: 'OpenSSL 3.5.8', groups: [...tls.groups, 'X25519MLKEM768'] },
    brokers:
      role === 'broker'
        ? [
            {
              kind: 'mosquitto',
              version: '2.0.11',
              mqttVersions: ['3.1', '3.1.1', '5.0'],
              maximumPacketBytes: 268_435_455,
              tls,
              transports: ['tcp', 'websocket'],
              sharedSubscriptions: true,
              clientCertificates: true,
              choosesFiniteField: true,
              resumes: ['TLS 1.2', 'TLS 1.3'],
            },
          ]
        : [],
    clients: [
      { engine: 'native', version: '0.1.0', tls: null },
      { engine: 'mosquitto clients', version: '2.0.11', tls },
      { engine: 'mqtt.js', version: '5.16.0', tls: null },
      { engine: 'paho-mqtt', version: '2.1.0', tls },
    ],
    applicationProtocols: [...applicationProtocols],
    payloadCiphers: payloadCipherDefinitions.map(({ id }) => id),
    energy: [],
    energyChoice: null,
    captureRefusal: null,
    perfRefusal: 'not probed',
    timeService: null,
    throttlingSource: null,
    shaping: {
      networkStack: 'boot-1 net:[1]',
      refusals: { netem: 'the kernel has no netem', nftables: null, tbf: null },
    },
    ...change,
  };
}

export function makeTestbed(change: Partial<TestbedCapabilities> = {}): TestbedCapabilities {
  return {
    testbedId: 'local',
    name: 'This machine',
    externalBroker: null,
    externalDevice: null,
    devices: ([...neededRoles, 'bridge', 'cloud-broker'] as const).map((role) => ({
      deviceId: `local-${role}`,
      name: role,
      role,
      online: true,
      capabilities: makeCapabilities(role),
    })),
    ...change,
  };
}

export function makeDraft(change: Partial<ExperimentDraft> = {}): ExperimentDraft {
  return { ...makeTourDraft('local'), response: 'latency.p50', ...change };
}

export function makeWorkload(change: Partial<Workload> = {}): Workload {
  return { ...makeTourDraft('local').workload, ...change };
}

export function makeTrialSpec(change: Partial<TrialSpec> = {}): TrialSpec {
  return {
    ...neutralSpec,
    security: 'TLS 1.3',
    cipherSuite: 'TLS_AES_256_GCM_SHA384',
    group: 'X25519',
    certificate: 'ECDSA P-256',
    chainLength: 1,
    clientCertificate: 'none',
    session: 'full',
    qos: 1,
    ...change,
  };
}

export function makeHistogram(valuesUs: readonly number[]): HistogramJson {
  const histogram = new LatencyHistogram({ lowest: 1, highest: 6e7, significantDigits: 3 });
  for (const value of valuesUs) histogram.record(value);
  return histogram.toJson();
}

export function makeNegotiated(change: Partial<Negotiated> = {}): Negotiated {
  return {
    protocol: 'TLSv1.3',
    cipherSuite: 'TLS_AES_256_GCM_SHA384',
    group: 'X25519',
    certificate: 'ECDSA P-256',
    certificateSubject: 'mqttlab-broker',
    certificateChainLength: 1,
    signature: 'ecdsa_secp256r1_sha256',
    resumed: false,
    clientCertificate: null,
    mqttVersion: '5.0',
    grantedQos: null,
    receiveMaximum: null,
    maximumPacketBytes: null,
    localAddress: '127.0.0.1',
    localPort: 40_000,
    remoteAddress: '127.0.0.1',
    remotePort: 8883,
    ...change,
  };
}

export function makeRoleResult(change: Partial<RoleResult> = {}): RoleResult {
  return {
    role: 'publisher',
    device: '',
    share: { index: 0, of: 1 },
    upstream: null,
    bridge: null,
    phases: [],
    negotiated: null,
    localPorts: [],
    counters: null,
    throughput: null,
    latency: null,
    lateness: null,
    histograms: {},
    states: [],
    randomness: [],
    energy: null,
    perf: null,
    clock: null,
    shaping: [],
    tcp: null,
    series: [],
    environment: {},
    log: [],
    degraded: [],
    failure: null,
    ...change,
  };
}

/** Ten seconds with 100 messages per second: sent by a publisher or, with `arrived`, received by a subscriber. */
export function makeThroughput(change: {
  sent?: Partial<SentThroughput>;
  arrived?: Partial<ArrivedThroughput>;
}): Throughput {
  const { sent, arrived } = change;
  return {
    startUs: 0,
    endUs: 1e7,
    sent: sent ? { firstHalf: 500, secondHalf: 500, afterwards: 0, ...sent } : null,
    arrived: arrived
      ? {
          firstHalf: 500,
          secondHalf: 500,
          payloadBytes: 100_000,
          longestSilenceUs: 11_000,
          firstUs: 2000,
          lastUs: 9_992_000,
          atFirst: 1,
          ...arrived,
        }
      : null,
  };
}
