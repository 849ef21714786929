import { expect, test } from 'vitest';
import { makeClientTrial, startBroker } from '../load/testing/client-trial.ts';
import { phaseOf, playTrial } from '../load/testing/play-trial.ts';

test('is measured by its own processes: CPU of each phase, ports, bytes from the kernel', async () => {
  const { port } = await startBroker();
  const spec = { readingsPerSecond: 2_000, publishers: 2, subscribers: 3, measureMs: 1_000 };
  const { publisher, subscriber } = await playTrial(makeClientTrial(port, spec));
  expect(subscriber.counters?.received).toBe((publisher.counters?.sent ?? 0) * 3);
  const { arrived } = subscriber.throughput ?? {};
  expect((arrived?.firstHalf ?? 0) + (arrived?.secondHalf ?? 0)).toBeGreaterThan(3 * 2 * 2_000 * 0.8);
  expect(publisher.throughput?.sent?.firstHalf).toBeGreaterThan(2 * 1_000 * 0.8);
  for (const [result, processes] of [
    [publisher, 2],
    [subscriber, 3],
  ] as const) {
    const isSender = result === publisher;
    const { bytesSent, bytesReceived } = phaseOf(result, 'measure');
    const [traffic, carried] = isSender ? [bytesSent, publisher] : [bytesReceived, subscriber];
    const { counters } = carried;
    const messages = isSender ? counters?.sent : counters?.received;
    // Type and length, topic with its length, properties, payload (MQTT 5 section 3.3).
    const expected = (messages ?? 0) * (2 + 2 + makeClientTrial(port, spec).spec.topic.length + 1 + 100);
    expect(Math.abs((traffic ?? 0) / expected - 1)).toBeLessThan(0.1);
    const inPhases = result.phases.reduce((sum, phase) => sum + (phase.bytesSent ?? Number.NaN), 0);
    // And CONNECT, SUBSCRIBE, probes, DISCONNECT, and the bytes before the first mark.
    expect(Number(result.facts['connections.bytesSent']) - inPhases).toBeGreaterThan(20);
    expect(Number(result.facts['connections.bytesSent']) - inPhases).toBeLessThan(20_000);
    expect(phaseOf(result, 'measure').cpuUs).toBeGreaterThan(0);
    expect(result.facts['client.processes']).toBe(processes);
    expect(new Set(result.localPorts).size).toBe(processes);
    expect(result.negotiated).toMatchObject({ localAddress: '127.0.0.1', localPort: result.localPorts[0] });
    // Set-up is not visible from outside, so it has no figures.
    expect(result.phases.map(({ phase }) => phase)).toEqual(['warm-up', 'measure', 'drain']);
  }
});
