import { expect, test } from 'vitest';
import { makeTestChain } from './testing/certificate-chain.ts';
import { carryOutRun, startLab } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';

const common = {
  security: 'TLS 1.3',
  cipherSuite: 'TLS_AES_256_GCM_SHA384',
  certificate: 'ECDSA P-384',
  chainLength: 3,
  clientCertificate: 'mutual TLS',
} as const;

test.each([
  ['embedded', 'X25519MLKEM768', 'full'],
  ['embedded', 'X25519MLKEM768', 'resumed'],
  ['mosquitto', 'P-521', 'resumed'],
] as const)('a complete run with %s, %s, mutual TLS and a %s session', async (kind, group, session) => {
  const lab = await startLab([kind]);
  const spec = makeTestSpec({ ...common, broker: kind, group, session, measureMs: 300 });
  const { results } = await carryOutRun(lab, { runId: 3, spec, tls: makeTestChain('ECDSA P-384', 3) });
  for (const { role, failure, negotiated } of Object.values(results)) {
    expect(failure, role).toBeNull();
    if (role === 'broker') continue;
    const resumed = session === 'resumed';
    expect(negotiated, role).toMatchObject({
      protocol: 'TLSv1.3',
      cipherSuite: common.cipherSuite,
      group,
      resumed,
      certificateChainLength: resumed ? null : 3,
      clientCertificate: resumed ? null : 'ECDSA P-384',
    });
  }
  // The connection for the ticket belongs to no phase: one handshake each, as without it.
  const { publisher, subscriber } = results;
  expect(publisher.phases.filter(({ phase }) => phase === 'tls')).toMatchObject([{ connections: 1 }]);
  expect(publisher.localPorts).toHaveLength(1);
  expect(subscriber.counters?.received).toBe(publisher.counters?.sent);
  expect(publisher.counters?.sent).toBeGreaterThan(0);
});
