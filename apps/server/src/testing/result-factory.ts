import type { Role } from '@mqttlab/shared/domain/device';
import type { PhaseRecord, RoleResult } from '@mqttlab/shared/domain/role-result';
import type { TrialSpec } from '@mqttlab/shared/domain/trial-spec';
import { LatencyHistogram } from '@mqttlab/shared/statistics/histogram';

export interface ResultShape {
  spec: TrialSpec;
  /** Median latency, ms; the messages spread around it. */
  latencyMs?: number;
  messages?: number;
  lost?: number;
}

function histogramJson(medianUs: number, messages: number): RoleResult['latency'] {
  const histogram = new LatencyHistogram();
  for (let i = 0; i < messages; i += 1) histogram.record(medianUs * (0.5 + (i + 0.5) / messages));
  const json = histogram.toJson();
  return { ...json, min: json.min ?? 0, max: json.max ?? 0 };
}

function phase(name: PhaseRecord['phase'], durationUs: number): PhaseRecord {
  return {
    phase: name,
    startUs: 1_000_000,
    durationUs,
    cpuUs: durationUs / 20,
    bytesSent: 900,
    bytesReceived: 1800,
    connections: 1,
  };
}

function negotiated(spec: TrialSpec): NonNullable<RoleResult['negotiated']> {
  const secure = spec.security !== 'plain';
  return {
    protocol: secure ? spec.security.replace('TLS ', 'TLSv') : null,
    cipherSuite: spec.cipherSuite,
    group: spec.group,
    certificate: spec.certificate,
    certificateSubject: secure ? 'CN=localhost' : null,
    certificateChainLength: secure ? 1 : null,
    signature: null,
    resumed: secure ? false : null,
    mqttVersion: spec.mqttVersion,
    grantedQos: null,
    receiveMaximum: 65_535,
    maximumPacketBytes: null,
    localAddress: '127.0.0.1',
    localPort: 40_000,
    remoteAddress: '127.0.0.1',
    remotePort: 1883,
  };
}

/** What one role reports of a good run of this specification. */
export function makeTestResult(role: Role, shape: ResultShape): RoleResult {
  const { spec, latencyMs = 1, messages = 200, lost = 0 } = shape;
  const client = role !== 'broker';
  return {
    role,
    phases: client ? [phase('tcp', 80), phase('connect', 300), phase('measure', spec.measureMs * 1000)] : [],
    negotiated: client ? negotiated(spec) : null,
    localPorts: client ? [40_000] : [],
    counters: client
      ? {
          sent: role === 'publisher' ? messages : 0,
          acknowledged: role === 'publisher' && spec.qos > 0 ? messages : 0,
          received: role === 'subscriber' ? messages - lost : 0,
          duplicate: 0,
          reordered: 0,
          late: 0,
          unsent: 0,
          unstamped: 0,
          payloadBytesSent: 0,
          payloadBytesReceived: 0,
        }
      : null,
    latency: role === 'subscriber' ? histogramJson(latencyMs * 1000, messages - lost) : null,
    lateness: role === 'publisher' ? histogramJson(100, messages) : null,
    series: [
      {
        metric: 'cpu.process',
        unit: '%',
        timesMs: [-1000, 0, 1000.25, 2000.5],
        values: [null, 0.1 + latencyMs, 3.25, 5],
      },
      { metric: 'memory.resident', unit: 'B', timesMs: [1000, 2000], values: [50e6, 51e6] },
    ],
    environment: { 'broker.pid': 4711, kernel: '6.12.0', throttled: false, governor: null },
    log: [{ at: 1_790_000_000_000, level: 'info', source: role, text: 'ready' }],
    degraded: [],
    failure: null,
  };
}
