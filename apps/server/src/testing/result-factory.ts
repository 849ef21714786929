import type { Role } from '@mqttlab/shared/domain/devices/device';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { makeCounters } from '@mqttlab/shared/domain/runs/counters';
import type { PhaseRecord, RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import { oneClock } from '@mqttlab/shared/testing/evidence';
import { makeHistogram, makeNegotiated, makeRoleResult } from '@mqttlab/shared/testing/factories';

export interface ResultShape {
  spec: TrialSpec;
  /** Median latency in ms; the messages are spread evenly from 0.5 to 1.5 times this. */
  latencyMs?: number;
  messages?: number;
  lost?: number;
  /** Number of samples in each series, one per second; four by default. */
  samples?: number;
  /** Additional facts of every device. */
  environment?: RoleResult['environment'];
}

function spread(medianUs: number, messages: number): RoleResult['latency'] {
  return makeHistogram(Array.from({ length: messages }, (_, i) => medianUs * (0.5 + (i + 0.5) / messages)));
}

function phase(name: PhaseRecord['phase'], durationUs: number): PhaseRecord {
  const bytes = { bytesSent: 900, bytesReceived: 1800 };
  return {
    phase: name,
    startUs: 1e6,
    durationUs,
    cpuUs: durationUs / 20,
    energyJ: null,
    connections: 1,
    ...bytes,
  };
}

function negotiated(spec: TrialSpec): RoleResult['negotiated'] {
  const { cipherSuite, group, certificate, mqttVersion } = spec;
  const protocol = spec.security === 'plain' ? null : spec.security.replace('TLS ', 'TLSv');
  return makeNegotiated({ protocol, cipherSuite, group, certificate, mqttVersion });
}

function longSeries(samples: number, level: number): RoleResult['series'] {
  const timesMs = Array.from({ length: samples }, (_, i) => i * 1000 + 0.25);
  return ['cpu.process', 'cpu.device', 'memory.resident'].map((metric) => ({
    metric,
    unit: '%',
    timesMs,
    values: timesMs.map((_, i) => level + Math.sin(i)),
  }));
}

/** Report of one role for a valid run of this specification. */
export function makeTestResult(role: Role, shape: ResultShape): RoleResult {
  const { spec, latencyMs = 1, messages = 200, lost = 0 } = shape;
  const received = messages - lost;
  const timesMs = [-1000, 0, 1000.25, 2000.5];
  const { samples } = shape;
  const series = samples
    ? longSeries(samples, latencyMs)
    : [
        { metric: 'cpu.process', unit: '%', timesMs, values: [null, 0.1 + latencyMs, 3.25, 5] },
        { metric: 'cpu.device', unit: '%', timesMs, values: [1, null, 2, 3] },
        { metric: 'memory.resident', unit: 'B', timesMs: [1000, 2000], values: [50e6, 51e6] },
      ];
  const environment = {
    'device.bootId': 'another machine',
    'process.pid': 4711,
    'process.startTicks': 12_345,
    'process.pidAtEnd': 4711,
    'process.startTicksAtEnd': 12_345,
    kernel: '6.12.0',
    throttled: false,
    governor: null,
    ...shape.environment,
  };
  const log = [{ at: 1_790_000_000_000, level: 'info' as const, source: role, text: 'ready' }];
  const common = { role, series, environment, log, clock: oneClock };
  if (role === 'broker') return makeRoleResult(common);
  return makeRoleResult({
    ...common,
    phases: [phase('tcp', 80), phase('connect', 300), phase('measure', spec.measureMs * 1000)],
    negotiated: negotiated(spec),
    localPorts: [40_000],
    counters: makeCounters(role === 'publisher' ? { sent: messages } : { received }),
    latency: role === 'subscriber' ? spread(latencyMs * 1000, received) : null,
    lateness: role === 'publisher' ? spread(100, messages) : null,
  });
}
