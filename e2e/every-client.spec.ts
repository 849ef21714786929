import { agentClients, securityLevels } from '@mqttlab/shared/domain/plans/trial-spec';
import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { Capture } from './fixtures/capture.ts';
import { capturedMessages } from './fixtures/captured-messages.ts';
import { makeQuickDraft, startExperiment, waitUntilDone } from './fixtures/experiments.ts';
import { expectOnTheWire } from './fixtures/on-the-wire.ts';
import { expect, test } from './fixtures/test.ts';

const qosLevels = [0, 1, 2];

const combinations = agentClients.length * securityLevels.length * qosLevels.length;

test.use({ rehearsal: 'off' });

test('every client with every security and QoS: suite, bytes and messages match a capture', async ({
  server,
}) => {
  const quick = makeQuickDraft();
  const draft = makeQuickDraft({
    factors: {
      client: [...agentClients],
      security: [...securityLevels],
      cipherSuite: ['TLS_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
      qos: qosLevels,
      rate: [200],
      readingBytes: [120],
    },
    // Without warm-up, the run counts every message on the wire.
    workload: { ...quick.workload, warmUpMs: 0, measureMs: 400 },
  });
  const capture = new Capture({ filter: 'tcp', snapBytes: 65_535 });
  try {
    await capture.start();
    const done = await waitUntilDone(server, await startExperiment(server, draft));
    await capture.seeEverything();
    await capture.stop();
    const refused = (done.plan?.excluded ?? []).flatMap(({ reasons }) =>
      reasons.flatMap(({ factor, reason }) => (factor === 'client' ? reason : [])),
    );
    expect([...new Set(refused)]).toEqual([]);
    const carriedOut = done.runs.filter(({ status }) => status === 'done');
    const runs = await Promise.all(carriedOut.map(({ id }) => server.api<RunDetail>('GET', `/runs/${id}`)));
    // On a busy machine devices may be late; such a run is repeated.
    const failures = done.runs.flatMap(({ failure }) => failure?.message ?? []);
    expect(runs, failures.join('; ')).toHaveLength(combinations);
    await expectOnTheWire(runs, capture);
    const messagesOf = await capturedMessages(runs, capture);
    for (const run of runs) {
      const { label, spec } = run.treatment;
      expect.soft(run.metrics['count.sent'], label).toBeGreaterThan(50);
      expect.soft(run.metrics['count.received'], label).toBe(run.metrics['count.sent']);
      const counters = run.results.find(({ role }) => role === 'subscriber')?.counters;
      const arrived = (counters?.received ?? 0) + (counters?.duplicate ?? 0);
      expect.soft(messagesOf(run), `${label}: messages`).toBe(arrived);
      if (spec.client !== 'native') expect.soft(run.metrics['wire.perMessage'], label).toBeGreaterThan(120);
    }
  } finally {
    await capture.remove();
  }
});
