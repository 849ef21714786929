import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { captureAgrees } from '@mqttlab/shared/catalogue/verdicts/capture-agrees';
import { expect, test } from 'vitest';
import { makeTestChain } from './testing/certificate-chain.ts';
import { carryOutRun, startLab } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';

const levels = [
  { security: 'plain', capture: 'full' },
  { security: 'plain', capture: 'headers' },
  { security: 'TLS 1.2', capture: 'full', cipherSuite: 'ECDHE-ECDSA-AES128-GCM-SHA256' },
  { security: 'TLS 1.3', capture: 'headers', cipherSuite: 'TLS_AES_256_GCM_SHA384' },
] as const;

test('runs agree with their captures, plain and under TLS', async () => {
  const lab = await startLab(['mosquitto']);
  for (const [index, { security, capture: level, ...chosen }] of levels.entries()) {
    const isPlain = security === 'plain';
    const secured = isPlain
      ? {}
      : { security, ...chosen, group: 'X25519', certificate: 'ECDSA P-256' as const };
    const options = { capture: level, ...(isPlain ? {} : { keyLog: 'kept' }) };
    // Longer than the captured part of a packet in header-only captures.
    const spec = makeTestSpec({ ...secured, options, readingBytes: 400, measureMs: 300 });
    const tls = isPlain ? null : makeTestChain('ECDSA P-256', 1);
    const { results } = await carryOutRun(lab, { runId: 7 + index, spec, tls });
    const { capture, files, degraded } = results.broker;
    expect(degraded).toEqual([]);
    expect(capture).toMatchObject({ level, cut: null, lostPackets: 0 });
    expect(files).toEqual([{ name: 'capture.pcap', bytes: capture?.fileBytes }]);
    const judged = captureAgrees.judge({ spec, results: Object.values(results) });
    expect(judged, judged.evidence).toMatchObject({ status: 'passed' });
    expect(judged.evidence).toContain(`publisher: ${spec.cipherSuite ?? 'plain'} in both`);
    const keys = results.publisher.files ?? [];
    expect(keys.map(({ name }) => name)).toEqual(isPlain ? [] : ['keys.log']);

    const sent = results.publisher.counters?.sent ?? 0;
    const counted = `${sent} messages recorded, ${sent} captured`;
    if (isPlain && level === 'full') {
      expect(capture?.topics).toEqual([spec.topic]);
      expect(judged.evidence).toContain(counted);
      expect(capture?.sizes.find(({ towards }) => towards === 'broker')?.everyMs).toBeGreaterThan(0);
    } else {
      expect(judged.evidence).not.toContain(counted);
    }
    if (!isPlain) {
      expect(capture?.topics).toEqual([]);
      expect(capture?.serverNames).toEqual(level === 'full' ? [tls?.serverName] : expect.any(Array));
      expect(capture?.certificates).toHaveLength(security === 'TLS 1.2' ? 1 : 0);
    }
  }
  // No files are left on a device after its server has acknowledged the result.
  const outbox = join(lab.broker.dataFolder, 'outbox');
  await expect.poll(() => readdirSync(outbox)).toEqual([]);
});
