import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { captureAgrees } from '@mqttlab/shared/catalogue/verdicts/capture-agrees';
import { expect, test } from 'vitest';
import { makeTestChain } from './testing/certificate-chain.ts';
import { carryOutRun, startLab } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';

const securities = [
  { security: 'plain' },
  { security: 'TLS 1.2', cipherSuite: 'ECDHE-ECDSA-AES128-GCM-SHA256' },
  { security: 'TLS 1.3', cipherSuite: 'TLS_AES_256_GCM_SHA384' },
] as const;

test.each(securities)('a run is held against what was captured of it: $security', async (chosen) => {
  const lab = await startLab(['mosquitto']);
  const isPlain = chosen.security === 'plain';
  const secured = isPlain ? {} : { ...chosen, group: 'X25519', certificate: 'ECDSA P-256' as const };
  const options = { capture: 'full', ...(isPlain ? {} : { keyLog: 'kept' }) };
  const spec = makeTestSpec({ ...secured, options });
  const tls = isPlain ? null : makeTestChain('ECDSA P-256', 1);
  const { results } = await carryOutRun(lab, { runId: 7, spec, tls });
  const { capture, files, degraded } = results.broker;
  expect(degraded).toEqual([]);
  expect(capture).toMatchObject({ level: 'full', cut: null, lostPackets: 0 });
  expect(files).toEqual([{ name: 'capture.pcap', bytes: capture?.fileBytes }]);
  const judged = captureAgrees.judge({ spec, results: Object.values(results) });
  expect(judged, judged.evidence).toMatchObject({ status: 'passed' });
  expect(judged.evidence).toContain(`publisher: ${spec.cipherSuite ?? 'plain'} in both`);

  const keys = results.publisher.files ?? [];
  expect(keys.map(({ name }) => name)).toEqual(isPlain ? [] : ['keys.log']);
  // Nothing stays on the device once the server has said that it has the result.
  const outbox = join(lab.broker.dataFolder, 'outbox');
  await expect.poll(() => readdirSync(outbox)).toEqual([]);

  const sent = results.publisher.counters?.sent ?? 0;
  if (isPlain) {
    expect(capture?.topics).toEqual([spec.topic]);
    expect(judged.evidence).toContain(`${sent} messages recorded, ${sent} captured`);
  } else {
    expect(capture?.topics).toEqual([]);
    expect(capture?.serverNames).toEqual([tls?.serverName]);
    expect(capture?.certificates).toHaveLength(chosen.security === 'TLS 1.2' ? 1 : 0);
  }
  const most = capture?.sizes.find(({ towards }) => towards === 'broker');
  expect(most?.everyMs).toBeGreaterThan(0);
});
