import type { CertificateKind, Security } from '@mqttlab/shared/domain/plans/trial-spec';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTestCertificates, type TestCertificates } from '../testing/certificates.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { expectLossless } from './testing/expect-lossless.ts';
import { phaseOf, playTrial } from './testing/play-trial.ts';
import { startTestBroker, type TestBroker } from './testing/test-broker.ts';

// The window is large enough for a machine that sometimes pauses for a second.
const short = { readingsPerSecond: 400, warmUpMs: 50, measureMs: 200, window: 1_000 };

interface Level {
  security: Security;
  cipherSuite: string;
  group: string;
  certificate: CertificateKind;
  signature: string;
}

const levels: readonly Level[] = [
  {
    security: 'TLS 1.2',
    cipherSuite: 'ECDHE-RSA-AES128-GCM-SHA256',
    group: 'P-384',
    certificate: 'RSA 2048',
    signature: 'rsa_pss_rsae_sha256',
  },
  {
    security: 'TLS 1.3',
    cipherSuite: 'TLS_CHACHA20_POLY1305_SHA256',
    group: 'X25519',
    certificate: 'ECDSA P-256',
    signature: 'ecdsa_secp256r1_sha256',
  },
];

describe.each(levels)('a Trial over $security', (level) => {
  const { signature, ...tls } = level;
  let certificates: TestCertificates;
  let broker: TestBroker;
  beforeAll(async () => {
    certificates = makeTestCertificates(level.certificate);
    broker = await startTestBroker({ certificates });
  });
  afterAll(() => broker.stop());

  // Suites, groups and certificates are crossed in apps/server/src/run/matrix.realtime.test.ts.
  it('delivers exactly the scheduled messages and reads the handshake from its connection', async () => {
    const spec = makeTestSpec({ ...short, ...tls, qos: 1, topic: 'tls' });
    const { authority, serverName } = certificates;
    const trial = await playTrial({ spec, port: broker.port, authority, serverName });
    expectLossless(spec, trial);
    expect(trial.publisher.negotiated).toMatchObject({
      protocol: level.security === 'TLS 1.3' ? 'TLSv1.3' : 'TLSv1.2',
      cipherSuite: level.cipherSuite,
      group: level.group,
      certificate: level.certificate,
      certificateSubject: `CN=${serverName}`,
      certificateChainLength: 2,
      signature,
      resumed: false,
    });
    const handshake = phaseOf(trial.publisher, 'tls');
    expect(handshake.durationUs).toBeGreaterThan(0);
    expect(handshake.bytesReceived).toBeGreaterThan(500);
  });

  it('costs more bytes than the messages alone', async () => {
    // One at a time: late messages would share a record.
    const single = { qos: 1, readingsPerSecond: null, window: 1, messages: 50, measureMs: 60_000 } as const;
    const spec = makeTestSpec({ ...tls, ...single, readingBytes: 100, topic: 'overhead' });
    const { authority, serverName } = certificates;
    const { publisher } = await playTrial({ spec, port: broker.port, authority, serverName });
    // 22 bytes of record header, tag and (TLS 1.3) content type or (TLS 1.2) explicit nonce, at least.
    const message = 2 + 2 + 'overhead'.length + 2 + 100;
    const measure = phaseOf(publisher, 'measure');
    expect((measure.bytesSent ?? 0) / (publisher.counters?.sent ?? 0)).toBeGreaterThanOrEqual(
      (message + 21) * 0.9,
    );
  });
});
