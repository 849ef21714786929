import { noImpairment } from '../domain/plans/impairment.ts';
import type { TrialSpec } from '../domain/plans/trial-spec.ts';
import type { RunEvidence } from '../domain/runs/verdict.ts';
import { makeCapture, radioState } from './captures.ts';
import { changeRole, makeEvidence, makeSeries } from './evidence.ts';
import { makeCounters, makeHistogram, makeNegotiated, makeThroughput, makeTrialSpec } from './factories.ts';

export const constant = (us: number, count: number) => makeHistogram(Array.from({ length: count }, () => us));

/** Two machines with the given clock uncertainty in µs. */
export function onTwoMachines(uncertaintyUs: number, driftUs = 0): RunEvidence {
  const clock = {
    before: { offsetUs: 5e6, uncertaintyUs },
    after: { offsetUs: 5e6 + driftUs, uncertaintyUs },
  };
  const { environment } = makeEvidence().results[1]!;
  const evidence = changeRole(makeEvidence(), 'publisher', { clock });
  return changeRole(evidence, 'subscriber', { environment: { ...environment, 'device.bootId': 'boot-2' } });
}

/** A valid run with other values in one series of a role. */
export function withSeries(role: 'broker' | 'publisher', metric: string, values: number[]): RunEvidence {
  const series = makeEvidence().results.find((result) => result.role === role)?.series ?? [];
  const others = series.filter((entry) => entry.metric !== metric);
  return changeRole(makeEvidence(), role, { series: [...others, makeSeries(metric, values)] });
}

/** A valid run with other facts about the broker's process. */
export function withBrokerProcess(
  facts: Record<string, number | null>,
  change: Partial<TrialSpec> = {},
): RunEvidence {
  const evidence = { ...makeEvidence(), spec: makeTrialSpec(change) };
  const broker = evidence.results.find(({ role }) => role === 'broker');
  return changeRole(evidence, 'broker', { environment: { ...broker?.environment, ...facts } });
}

/** Clients on eth0 with the address that the broker sees and the bytes of the interface. */
export function onLink(facts: Record<string, string | number | null>, seenFrom = '10.83.0.2'): RunEvidence {
  const negotiated = makeNegotiated({ localAddress: '10.83.0.2', remoteAddress: '10.83.0.1' });
  const own = {
    'link.interface': 'eth0',
    'link.address': '10.83.0.2',
    'network.eth0.txBytes': 160_000,
    'network.eth0.rxBytes': 160_000,
  };
  const evidence = makeEvidence();
  const environmentOf = (role: 'broker' | 'publisher') =>
    evidence.results.find((result) => result.role === role)?.environment;
  const client = { negotiated, environment: { ...environmentOf('publisher'), ...own, ...facts } };
  const asked = changeRole(evidence, 'publisher', client);
  return changeRole(asked, 'broker', {
    environment: { ...environmentOf('broker'), 'link.seenFrom': `${seenFrom}, 127.0.0.1` },
  });
}

/** A valid run with other numbers of sent or received messages in the measure phase. */
function withThroughput(
  change: Parameters<typeof makeThroughput>[0],
  spec: Partial<TrialSpec> = {},
): RunEvidence {
  const evidence = { ...makeEvidence(), spec: makeTrialSpec(spec) };
  const sent = changeRole(evidence, 'publisher', { throughput: makeThroughput({ sent: change.sent ?? {} }) });
  return changeRole(sent, 'subscriber', { throughput: makeThroughput({ arrived: change.arrived ?? {} }) });
}

const losing = (received: number): RunEvidence => ({
  ...changeRole(makeEvidence(), 'subscriber', { counters: makeCounters({ received }) }),
  spec: makeTrialSpec({ qos: 0 }),
});

const throttled = {
  'throttling.source': 'vcgencmd',
  'throttling.events': 2,
  'throttling.flags': 'under-voltage',
};

/** Runs that make each verdict fail; null for verdicts that cannot fail, with the reason in their file. */
export const failing: Record<string, RunEvidence[] | null> = {
  'link-used': [
    onLink({ 'network.eth0.txBytes': 20_000 }),
    onLink({ 'network.eth0.rxBytes': 100 }),
    onLink({ 'link.address': '10.83.0.9' }),
    onLink({ 'link.interface': null }),
    onLink({}, '192.168.1.7, 192.168.1.8'),
  ],
  'negotiated-as-asked': [
    changeRole(makeEvidence(), 'publisher', {
      negotiated: makeNegotiated({ cipherSuite: 'TLS_AES_128_GCM_SHA256' }),
    }),
    changeRole(makeEvidence(), 'subscriber', { negotiated: null }),
  ],
  'aes-as-asked': [
    { ...makeEvidence(), spec: makeTrialSpec({ options: { aesInstructions: 'off' } }) },
    changeRole(
      { ...makeEvidence(), spec: makeTrialSpec({ options: { aesInstructions: 'off' } }) },
      'publisher',
      { environment: { 'aes.againstChaCha': 1.3 } },
    ),
  ],
  'capture-agrees': [
    changeRole(changeRole(makeEvidence(), 'broker', { capture: makeCapture() }), 'publisher', {
      localPorts: [7],
    }),
  ],
  'radio-steady': [
    changeRole(makeEvidence(), 'publisher', {
      radio: { interface: 'wlan0', before: radioState, after: { ...radioState, transmitMbit: 6 } },
    }),
  ],
  'nothing-lost': [changeRole(makeEvidence(), 'subscriber', { counters: makeCounters({ received: 999 }) })],
  'identifiers-free': [
    changeRole({ ...makeEvidence(), spec: makeTrialSpec({ qos: 2 }) }, 'subscriber', {
      counters: makeCounters({ received: 999, identifierReused: 1 }),
    }),
  ],
  'little-lost': [losing(989)],
  'kept-arriving': [
    withThroughput({ arrived: { longestSilenceUs: 1.02e6 } }),
    withThroughput({ arrived: { longestSilenceUs: 8e6 } }, { readingsPerSecond: null }),
    withThroughput({ arrived: { firstHalf: 0, secondHalf: 0, longestSilenceUs: 1e7 } }),
    withThroughput(
      { arrived: { firstHalf: 0, secondHalf: 1, longestSilenceUs: 9e6 } },
      { readingsPerSecond: null },
    ),
    withThroughput({ arrived: { longestSilenceUs: 3e6 } }, { workload: 'burst', burstOffMs: 1000 }),
  ],
  'backlog-steady': [
    withThroughput({ arrived: { firstHalf: 470, secondHalf: 470 } }),
    withThroughput({ arrived: { firstHalf: 440, secondHalf: 440 } }, { readingsPerSecond: null }),
  ],
  'goodput-within-limit': [
    withThroughput({}, { impairment: { ...noImpairment, rateMbit: 0.07 } }),
    withThroughput({}, { impairment: { ...noImpairment, rateMbit: 0.07, direction: 'towards the broker' } }),
  ],
  'payloads-authentic': (['unauthentic', 'replayed', 'malformed'] as const).map((counter) => ({
    ...changeRole(makeEvidence(), 'subscriber', { counters: makeCounters({ received: 999, [counter]: 1 }) }),
    spec: makeTrialSpec({ payloadCipher: 'aes-256-gcm' }),
  })),
  'kept-schedule': [
    changeRole(makeEvidence(), 'publisher', { lateness: constant(9000, 50) }),
    withSeries('publisher', 'cpu.process', [99, 98, 97]),
  ],
  'separate-records': [changeRole(makeEvidence(), 'publisher', { lateness: constant(9000, 50) })],
  'clock-good-enough': [
    onTwoMachines(300),
    onTwoMachines(10, 400),
    changeRole(onTwoMachines(10), 'publisher', { clock: null }),
    changeRole(makeEvidence(), 'subscriber', { latency: makeHistogram([-500, 100, 100, 100]) }),
  ],
  'no-throttling': [changeRole(makeEvidence(), 'broker', { environment: throttled })],
  // The limits are tested in shaping-evidence.test.ts.
  'impairment-applied': [
    { ...makeEvidence(), spec: makeTrialSpec({ impairment: { ...noImpairment, lossPercent: 2 } }) },
  ],
  'warm-up-long-enough': [
    withSeries('broker', 'cpu.process', [40, 41, 40, 20, 20.5, 21, 20, 20.2, 20.4, 20]),
  ],
  'broker-stayed-up': [
    changeRole(makeEvidence(), 'broker', { failure: { code: 'broker-died', message: 'gone', remedy: '' } }),
    withBrokerProcess({ 'process.pidAtEnd': 4712 }),
    // The same pid, reused by another process.
    withBrokerProcess({ 'process.startTicksAtEnd': 99_999 }),
    withBrokerProcess({ 'process.pidAtEnd': null, 'process.startTicksAtEnd': null }),
    withBrokerProcess({ 'process.pid': null, 'process.startTicks': null }),
  ],
  'device-idle': [
    withSeries(
      'broker',
      'cpu.device',
      Array.from({ length: 10 }, () => 300),
    ),
  ],
  'enough-messages': [changeRole(makeEvidence(), 'subscriber', { latency: makeHistogram([100, 200]) })],
  'collectors-worked': [
    changeRole(makeEvidence(), 'broker', { degraded: [{ collector: 'cpu', reason: 'gone' }] }),
  ],
};
