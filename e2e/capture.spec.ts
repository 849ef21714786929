import type { RunDetail } from '@mqttlab/shared/domain/run';
import { Capture, connectionKey, suiteCodes } from './fixtures/capture.ts';
import { makeQuickDraft, startExperiment, waitUntilDone } from './fixtures/experiments.ts';
import { expect, test } from './fixtures/test.ts';

/** Largest difference between recorded and captured payload bytes. */
const tolerance = 0.01;

test('what a run records is what stood on the wire: suite and bytes', async ({ server }) => {
  const capture = new Capture();
  const runs: RunDetail[] = [];
  try {
    await capture.start();
    const draft = makeQuickDraft({
      factors: {
        security: ['plain', 'TLS 1.2', 'TLS 1.3'],
        cipherSuite: [
          'TLS_CHACHA20_POLY1305_SHA256',
          'ECDHE-ECDSA-AES128-GCM-SHA256',
          'ECDHE-RSA-AES256-GCM-SHA384',
        ],
        certificate: ['ECDSA P-256', 'RSA 2048'],
        qos: [1],
        rate: [300],
      },
    });
    const done = await waitUntilDone(server, await startExperiment(server, draft));
    for (const { id } of done.runs) runs.push(await server.api<RunDetail>('GET', `/runs/${id}`));
    await capture.stop();

    const codes = await suiteCodes();
    const brokerPorts = runs.flatMap(({ results }) =>
      results.flatMap(({ negotiated }) => negotiated?.remotePort ?? []),
    );
    const captured = await capture.connections([...new Set(brokerPorts)]);
    expect(runs).toHaveLength(5);
    for (const run of runs) {
      expect(run.failure, run.treatment.label).toBeNull();
      for (const result of run.results.filter(({ role }) => role !== 'broker')) {
        const { negotiated, phases } = result;
        if (!negotiated) throw new Error(`${run.treatment.label}: ${result.role} reports nothing negotiated`);
        const wire = captured.get(connectionKey(negotiated.localPort, negotiated.remotePort));
        if (!wire)
          throw new Error(`${run.treatment.label}: the capture lacks the ${result.role}'s connection`);
        const recorded = {
          sent: phases.reduce((sum, phase) => sum + (phase.bytesSent ?? 0), 0),
          received: phases.reduce((sum, phase) => sum + (phase.bytesReceived ?? 0), 0),
        };
        const where = `${run.treatment.label}, ${result.role}`;
        expect(wire.sent, where).toBeGreaterThan(100);
        expect(Math.abs(recorded.sent / wire.sent - 1), `${where}: sent`).toBeLessThanOrEqual(tolerance);
        expect(Math.abs(recorded.received / wire.received - 1), `${where}: received`).toBeLessThanOrEqual(
          tolerance,
        );

        const asked = run.treatment.spec.cipherSuite;
        expect(negotiated.cipherSuite, where).toBe(asked);
        expect(wire.suiteCode, `${where}: suite in the ServerHello`).toBe(
          asked === null ? null : codes.get(asked),
        );
      }
    }
  } finally {
    await capture.remove();
  }
});
