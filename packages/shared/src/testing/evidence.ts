import type { Role } from '../domain/devices/device.ts';
import { makeCounters } from '../domain/runs/counters.ts';
import type { RoleResult, RunClock, Series } from '../domain/runs/role-result.ts';
import type { RunEvidence } from '../domain/runs/verdict.ts';
import { makeHistogram, makeNegotiated, makeRoleResult, makeThroughput, makeTrialSpec } from './factories.ts';

/** Clock of a device that shares its kernel with the server. */
export const oneClock: RunClock = {
  before: { offsetUs: 0, uncertaintyUs: 0 },
  after: { offsetUs: 0, uncertaintyUs: 0 },
};

/** Every second of a measure phase of ten seconds. */
export function makeSeries(metric: string, values: readonly (number | null)[]): Series {
  return { metric, unit: '%', timesMs: values.map((_, index) => (index + 1) * 1000), values: [...values] };
}

/** Background of every role of a valid run: an idle device without throttling, a steady process. */
function makeBackground(agentPid: number): Pick<RoleResult, 'clock' | 'environment' | 'series'> {
  const steady = (level: number) => Array.from({ length: 10 }, (_, index) => level + (index % 3) / 10);
  return {
    clock: oneClock,
    environment: {
      'device.bootId': 'boot-1',
      'cpu.cores': 4,
      'agent.pid': agentPid,
      'link.interface': 'lo',
      'link.address': '127.0.0.1',
      'network.lo.txBytes': 400_000,
      'network.lo.rxBytes': 400_000,
      'throttling.source': 'vcgencmd get_throttled',
      'throttling.events': 0,
    },
    series: [
      makeSeries('cpu.process', steady(5)),
      makeSeries('cpu.device', steady(6)),
      makeSeries('cpu.agent', steady(1)),
    ],
  };
}

/** A valid run of 1,000 messages at QoS 1: 2 ms each, nothing lost, on schedule. */
export function makeEvidence(change: Partial<RunEvidence> = {}): RunEvidence {
  const measure = {
    phase: 'measure' as const,
    startUs: 0,
    durationUs: 1e7,
    cpuUs: 5e5,
    energyJ: null,
    bytesSent: 150_000,
    bytesReceived: 10_000,
    connections: 1,
  };
  const broker = makeBackground(100);
  return {
    spec: makeTrialSpec(),
    results: [
      makeRoleResult({
        ...broker,
        role: 'broker',
        phases: [measure],
        environment: {
          ...broker.environment,
          'process.pid': 4711,
          'process.startTicks': 12_345,
          'process.pidAtEnd': 4711,
          'process.startTicksAtEnd': 12_345,
        },
      }),
      makeRoleResult({
        ...makeBackground(101),
        role: 'publisher',
        phases: [
          { ...measure, phase: 'tcp', durationUs: 200, cpuUs: 100, bytesSent: 0, bytesReceived: 0 },
          { ...measure, phase: 'tls', durationUs: 3000, cpuUs: 2000, bytesSent: 600, bytesReceived: 1800 },
          { ...measure, phase: 'connect', durationUs: 500, cpuUs: 100, bytesSent: 60, bytesReceived: 40 },
          measure,
        ],
        negotiated: makeNegotiated(),
        counters: makeCounters({ sent: 1000, acknowledged: 1000, payloadBytesSent: 100_000 }),
        throughput: makeThroughput({ sent: {} }),
        lateness: makeHistogram(Array.from({ length: 1000 }, () => 80)),
      }),
      makeRoleResult({
        ...makeBackground(102),
        role: 'subscriber',
        phases: [measure],
        negotiated: makeNegotiated({ grantedQos: 1 }),
        counters: makeCounters({ received: 1000, payloadBytesReceived: 100_000 }),
        throughput: makeThroughput({ arrived: {} }),
        latency: makeHistogram(Array.from({ length: 1000 }, () => 2000)),
      }),
    ],
    ...change,
  };
}

/** Returns the run with changed results of one role. */
export function changeRole(evidence: RunEvidence, role: Role, change: Partial<RoleResult>): RunEvidence {
  return {
    ...evidence,
    results: evidence.results.map((result) => (result.role === role ? { ...result, ...change } : result)),
  };
}
