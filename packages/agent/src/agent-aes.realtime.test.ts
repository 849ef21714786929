import { aesAsAsked } from '@mqttlab/shared/catalogue/verdicts/aes-as-asked';
import { expect, test } from 'vitest';
import { readCpuInfo } from './link/capabilities.ts';
import { makeTestChain } from './testing/certificate-chain.ts';
import { carryOutRun, startLab } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';

const off = { options: { aesInstructions: 'off' } };
const canSwitch = readCpuInfo('/proc').features.includes('aes');

test.skipIf(!canSwitch)(
  'without AES instructions, AES is slower than ChaCha20 at clients, and the next run has them',
  async () => {
    const lab = await startLab(['mosquitto', 'embedded']);
    const tls = { security: 'TLS 1.3', cipherSuite: 'TLS_AES_256_GCM_SHA384', group: 'X25519' } as const;
    const chain = makeTestChain('ECDSA P-256', 1);
    for (const [index, broker] of (['mosquitto', 'embedded'] as const).entries()) {
      const spec = makeTestSpec({ ...tls, certificate: 'ECDSA P-256', broker, measureMs: 200, ...off });
      const { results } = await carryOutRun(lab, { runId: 60 + index, spec, tls: chain });
      const judged = aesAsAsked.judge({ spec, results: Object.values(results) });
      expect(judged, judged.evidence).toMatchObject({ status: 'passed' });
    }
    const usual = makeTestSpec({ ...tls, certificate: 'ECDSA P-256', measureMs: 200 });
    const { results } = await carryOutRun(lab, { runId: 62, spec: usual, tls: chain });
    expect(results.publisher.environment).not.toHaveProperty('aes.againstChaCha');
    expect(results.broker.environment).not.toHaveProperty('broker.aesInstructions');
    const claimed = { ...usual, ...off };
    expect(aesAsAsked.judge({ spec: claimed, results: Object.values(results) }).status).toBe('failed');
  },
);
