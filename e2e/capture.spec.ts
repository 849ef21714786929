import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { Capture } from './fixtures/capture.ts';
import { makeQuickDraft, startExperiment, waitUntilDone } from './fixtures/experiments.ts';
import { expectOnTheWire } from './fixtures/on-the-wire.ts';
import { expect, test } from './fixtures/test.ts';

test.use({ rehearsal: 'on' });

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
    expect(runs).toHaveLength(5);
    await expectOnTheWire(runs, capture);
  } finally {
    await capture.remove();
  }
});
