import type { RunDetail } from '@mqttlab/shared/domain/runs/run';
import { Capture } from './fixtures/capture.ts';
import { makeQuickDraft, startExperiment, waitUntilDone } from './fixtures/experiments.ts';
import { expectOnTheWire } from './fixtures/on-the-wire.ts';
import { expect, test } from './fixtures/test.ts';

test.use({ rehearsal: 'on' });

test('recorded suite and bytes match the captured traffic', async ({ server, page }) => {
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
        capture: ['full'],
        keyLog: ['kept'],
      },
    });
    const done = await waitUntilDone(server, await startExperiment(server, draft));
    for (const { id } of done.runs) runs.push(await server.api<RunDetail>('GET', `/runs/${id}`));
    await capture.stop();
    expect(runs).toHaveLength(5);
    await expectOnTheWire(runs, capture);
    for (const { id, verdicts, treatment, files } of runs) {
      const judged = verdicts.find((verdict) => verdict.id === 'capture-agrees');
      expect(judged?.status, `${treatment.label}: ${judged?.evidence}`).toBe('passed');
      const kept = treatment.spec.security === 'plain' ? 1 : 3;
      expect(files, `${treatment.label}, run ${id}`).toHaveLength(kept);
    }
    const secured = runs.find(({ treatment }) => treatment.spec.security === 'TLS 1.2');
    await page.goto(`${server.address}/experiments/${done.id}/runs/${secured?.id}`);
    const seen = page.getByRole('region', { name: 'What an eavesdropper saw' });
    await expect(seen).toContainText('none: encrypted');
    await expect(seen).toContainText(String(secured?.treatment.spec.cipherSuite));
    const keys = await page.request.get(`${server.address}/api/v1/runs/${secured?.id}/keys.log`);
    expect(await keys.text()).toMatch(/^CLIENT_RANDOM [0-9a-f]{64} [0-9a-f]+$/m);
    const saving = page.waitForEvent('download');
    await seen.getByRole('link', { name: /^Save the capture/ }).click();
    expect((await saving).suggestedFilename()).toBe(`run-${secured?.id}.pcap`);
  } finally {
    await capture.remove();
  }
});
