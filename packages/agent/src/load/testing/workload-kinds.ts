import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { type WorkloadKind, workloadKinds } from '@mqttlab/shared/domain/plans/workload';
import { expect } from 'vitest';
import { makeTestCertificates, type TestCertificates } from '../../testing/certificates.ts';
import { makeTestSpec } from '../../testing/specs.ts';
import { type OfferedKind, startOfferedBroker } from './offered-broker.ts';
import { type PlayedTrial, phaseOf, playTrial } from './play-trial.ts';

export const tls13 = {
  security: 'TLS 1.3',
  cipherSuite: 'TLS_AES_128_GCM_SHA256',
  group: 'X25519',
  certificate: 'ECDSA P-256',
} as const;
export const tls12 = { ...tls13, security: 'TLS 1.2', cipherSuite: 'ECDHE-ECDSA-AES128-GCM-SHA256' } as const;

const paced = { warmUpMs: 100, measureMs: 500, drainTimeoutMs: 20_000, window: 1_000 };

/** Workloads other than availability, which needs a broker with limits and MQTT 5 and is tested separately. */
export type CommonKind = Exclude<WorkloadKind, 'availability'>;
export const commonKinds = workloadKinds.filter((kind): kind is CommonKind => kind !== 'availability');

/** Settings of each kind, and its expected result. */
const kinds: Readonly<
  Record<CommonKind, { level: Partial<TrialSpec>; check: (spec: TrialSpec, trial: PlayedTrial) => void }>
> = {
  stream: { level: { readingsPerSecond: 200 }, check: (spec, trial) => expectMessages(spec, trial, 100) },
  burst: {
    level: { readingsPerSecond: 500, burstOnMs: 50, burstOffMs: 50, warmUpMs: 200 },
    check: (spec, trial) => expectMessages(spec, trial, 125),
  },
  reconnect: {
    // Mosquitto services WebSockets every 100 ms only, so a connection may take half a second.
    level: { readingsPerSecond: 1, publishers: 20 },
    check: (spec, trial) => {
      // A slow machine has no time to connect for the last messages.
      const { messages } = trial.sent;
      expect(messages).toBeGreaterThan(0);
      expectMessages(spec, trial, messages, 10);
      expectConnections(spec, trial, messages);
      expect(trial.publisher.localPorts.length).toBeGreaterThanOrEqual(messages);
    },
  },
  handshake: {
    level: { connections: 25, publishers: 3, measureMs: 20_000 },
    check: (spec, trial) => {
      expectConnections(spec, trial, 25);
      expectPhases(spec, trial, 25);
      expectBytesOfEach(spec, trial, 25);
      expect(trial.publisher.facts['workload.ended']).toBe('all 25 connections were made');
      // It does not wait for the end of the measure phase.
      expect(phaseOf(trial.publisher, 'measure').durationUs).toBeLessThan(20e6);
      expect(trial.received).toEqual({ messages: 0, timedOut: false });
    },
  },
  states: {
    level: { connections: 7, measureMs: 20_000 },
    check: (spec, trial) => {
      expectConnections(spec, trial, 7);
      // Connections opened in parallel have no separate figures; the retained one does.
      expect(Object.keys(trial.publisher.histograms)).toEqual(['kept.set-up']);
      expect(trial.publisher.states.map(({ state }) => state)).toEqual(['CON', 'SUB', 'PUB', 'DISC']);
      for (const { state, frames, frameBytes, bytesSent, bytesReceived } of trial.publisher.states) {
        expect(bytesSent, state).toBeGreaterThan(0);
        expect(frames, state).toBeGreaterThan(1);
        // Ethernet, IP and TCP headers with time stamps; SYN has 8 bytes more of options.
        const headers = 66 * (frames ?? 0) + (state === 'CON' ? 16 : 0);
        expect(frameBytes, state).toBe(bytesSent + bytesReceived + headers);
      }
    },
  },
};

function expectMessages(
  spec: TrialSpec,
  { publisher, subscriber, sent, received }: PlayedTrial,
  messages: number,
  planned = messages,
) {
  expect(sent).toEqual({ messages, timedOut: false });
  expect(received).toEqual({ messages, timedOut: false });
  expect(publisher.counters).toMatchObject({
    sent: messages,
    acknowledged: spec.qos > 0 ? messages : 0,
    unsent: planned - messages,
  });
  expect(publisher.lateness?.count).toBe(messages);
  expect(subscriber.counters).toMatchObject({ received: messages, duplicate: 0, reordered: 0, unstamped: 0 });
  expect(subscriber.latency?.count).toBe(messages);
  expect(subscriber.histograms.readingAge?.count).toBe(messages);
}

function expectConnections(spec: TrialSpec, { publisher }: PlayedTrial, connections: number) {
  expect(publisher.counters).toMatchObject({ connectionsOpened: connections, connectionsFailed: 0 });
  const fewest = spec.security === 'plain' ? 30 : 300;
  // On a busy machine the last connection is still open when the measure phase ends.
  const spent = ['measure', 'drain'].map((phase) =>
    publisher.phases.find((record) => record.phase === phase),
  );
  const bytes = spent.reduce((sum, record) => sum + (record?.bytesSent ?? 0), 0);
  expect(bytes).toBeGreaterThan(connections * fewest);
}

/** Each connection's bytes match those of the retained one; warm-up connections are not included. */
function expectBytesOfEach(spec: TrialSpec, { publisher }: PlayedTrial, connections: number) {
  const alone = publisher.phases.filter(({ phase }) =>
    ['tcp', 'tls', 'connect', 'disconnect'].includes(phase),
  );
  const { connectionBytesSent = 0, connectionBytesReceived = 0 } = publisher.counters ?? {};
  for (const [counted, direction] of [
    [connectionBytesSent, 'bytesSent'],
    [connectionBytesReceived, 'bytesReceived'],
  ] as const) {
    const one = alone.reduce((sum, record) => sum + (record[direction] ?? 0), 0);
    if (spec.security === 'plain') expect(counted / connections, direction).toBe(one);
    // A signature differs by a few bytes, and the first end to close sends an alert.
    else expect(Math.abs(counted / connections / one - 1), direction).toBeLessThan(0.06);
  }
}

function expectPhases(spec: TrialSpec, { publisher }: PlayedTrial, connections: number) {
  const { histograms } = publisher;
  const encrypted = spec.security !== 'plain';
  const names = ['phase.tcp', ...(encrypted ? ['phase.tls'] : []), 'phase.connect', 'phase.set-up'];
  const { 'kept.set-up': kept, ...own } = histograms;
  expect(kept?.count).toBe(1);
  expect(Object.keys(own)).toEqual(names);
  for (const histogram of Object.values(own)) {
    expect(histogram.count).toBe(connections);
    expect(histogram.min).toBeGreaterThan(0);
  }
  const parts = ['phase.tcp', 'phase.tls', 'phase.connect'] as const;
  const sum = parts.reduce((total, name) => total + (histograms[name]?.sum ?? 0), 0);
  expect(sum / (histograms['phase.set-up']?.sum ?? 0)).toBeCloseTo(1, 6);
}

let certificates: TestCertificates | null = null;

/** Runs a trial of a workload and checks its expected result. */
export async function expectWorkload(
  workload: CommonKind,
  level: Partial<TrialSpec> & { broker: OfferedKind },
): Promise<void> {
  certificates ??= makeTestCertificates('ECDSA P-256');
  const { authority, serverName } = certificates;
  const kind = kinds[workload];
  const spec = makeTestSpec({ ...paced, ...level, workload, ...kind.level, topic: 'kinds' });
  const port = await startOfferedBroker(level.broker, { spec, certificates });
  const trial = await playTrial({ spec, port, authority, serverName });
  expect(trial.failures).toEqual([]);
  for (const result of [trial.publisher, trial.subscriber]) expect(result.degraded).toEqual([]);
  kind.check(spec, trial);
}
