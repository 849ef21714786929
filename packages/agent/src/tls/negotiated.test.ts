import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MonotonicClock } from '../load/pacing/clock.ts';
import { startTestBroker, type TestBroker } from '../load/testing/test-broker.ts';
import { Connection, ignoreLoss } from '../mqtt/connection.ts';
import { makeTestCertificates, type TestCertificates } from '../testing/certificates.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { makeFixedTls } from './client-tls.ts';
import { makeTlsOptions } from './connect-options.ts';
import { findMismatch, plainText } from './negotiated.ts';
import { parseClearHandshake } from './testing/clear-handshake.ts';
import { WireTap } from './testing/wire-tap.ts';

/** IANA numbers (TLS Parameters registry). */
const suites: Readonly<Record<string, number>> = {
  TLS_AES_128_GCM_SHA256: 0x1301,
  TLS_AES_256_GCM_SHA384: 0x1302,
  TLS_CHACHA20_POLY1305_SHA256: 0x1303,
  'ECDHE-ECDSA-AES256-GCM-SHA384': 0xc02c,
  'ECDHE-RSA-AES128-GCM-SHA256': 0xc02f,
  'ECDHE-RSA-CHACHA20-POLY1305': 0xcca8,
  'AES256-GCM-SHA384': 0x009d,
};
const groups: Readonly<Record<string, number>> = {
  'P-256': 23,
  'P-384': 24,
  'P-521': 25,
  X25519: 29,
  X448: 30,
};
const signatures: Readonly<Record<string, number>> = {
  ecdsa_secp256r1_sha256: 0x0403,
  rsa_pss_rsae_sha256: 0x0804,
};

type Level = Pick<TrialSpec, 'security' | 'cipherSuite' | 'group' | 'certificate'>;

const levels: readonly Level[] = [
  { security: 'TLS 1.3', cipherSuite: 'TLS_AES_128_GCM_SHA256', group: 'X25519', certificate: 'ECDSA P-256' },
  { security: 'TLS 1.3', cipherSuite: 'TLS_AES_256_GCM_SHA384', group: 'P-384', certificate: 'RSA 2048' },
  {
    security: 'TLS 1.3',
    cipherSuite: 'TLS_CHACHA20_POLY1305_SHA256',
    group: 'X448',
    certificate: 'ECDSA P-256',
  },
  { security: 'TLS 1.3', cipherSuite: 'TLS_AES_256_GCM_SHA384', group: 'P-521', certificate: 'ECDSA P-256' },
  {
    security: 'TLS 1.2',
    cipherSuite: 'ECDHE-ECDSA-AES256-GCM-SHA384',
    group: 'P-256',
    certificate: 'ECDSA P-256',
  },
  {
    security: 'TLS 1.2',
    cipherSuite: 'ECDHE-RSA-AES128-GCM-SHA256',
    group: 'X25519',
    certificate: 'RSA 2048',
  },
  {
    security: 'TLS 1.2',
    cipherSuite: 'ECDHE-RSA-CHACHA20-POLY1305',
    group: 'P-384',
    certificate: 'RSA 2048',
  },
  { security: 'TLS 1.2', cipherSuite: 'AES256-GCM-SHA384', group: null, certificate: 'RSA 2048' },
];

describe('parameters of a handshake', () => {
  const certificates = new Map<string, TestCertificates>();
  const brokers = new Map<string, TestBroker>();
  const taps = new Map<string, WireTap>();
  beforeAll(async () => {
    for (const kind of ['ECDSA P-256', 'RSA 2048'] as const) {
      const made = makeTestCertificates(kind);
      const broker = await startTestBroker({ certificates: made });
      const tap = new WireTap(broker.port);
      await tap.start();
      certificates.set(kind, made);
      brokers.set(kind, broker);
      taps.set(kind, tap);
    }
  });
  afterAll(async () => {
    for (const tap of taps.values()) tap.stop();
    for (const broker of brokers.values()) await broker.stop();
  });

  it.each(levels)(
    'match the bytes on the wire: $security $cipherSuite $group $certificate',
    async (level) => {
      const kind = level.certificate ?? '';
      const [tap, made] = [taps.get(kind)!, certificates.get(kind)!];
      const spec = makeTestSpec(level);
      const connection = new Connection({
        spec,
        session: { clientId: 'tapped' },
        broker: { address: '127.0.0.1', port: tap.port },
        tls: makeFixedTls(makeTlsOptions(spec, made)),
        clock: new MonotonicClock(),
        readBuffer: Buffer.alloc(0),
        listener: ignoreLoss,
      });
      await connection.openTcp();
      await connection.openTls();
      const said = connection.negotiatedTls;
      const seen = parseClearHandshake(tap.firstFromServer);
      await connection.openMqtt();
      await connection.close();

      expect(seen.version).toBe(said.protocol === 'TLSv1.3' ? 0x0304 : 0x0303);
      expect(seen.suite).toBe(suites[said.cipherSuite ?? '']);
      expect(seen.group).toBe(said.group === null ? null : groups[said.group]);
      if (seen.signature !== null) expect(seen.signature).toBe(signatures[said.signature ?? '']);
      expect(said.signature === null).toBe(level.cipherSuite === 'AES256-GCM-SHA384');
      expect(said).toMatchObject({
        ...(level.cipherSuite && { cipherSuite: level.cipherSuite }),
        group: level.group,
      });
      expect(findMismatch(spec, said)).toBeNull();
    },
  );
});

describe('findMismatch', () => {
  const spec = makeTestSpec({
    security: 'TLS 1.3',
    cipherSuite: 'TLS_AES_128_GCM_SHA256',
    group: 'P-256',
    certificate: 'RSA 2048',
  });
  const good = {
    ...plainText,
    protocol: 'TLSv1.3',
    cipherSuite: 'TLS_AES_128_GCM_SHA256',
    group: 'P-256',
    certificate: 'RSA 2048',
    resumed: false,
  };

  it('reports no difference if everything is as planned', () => {
    expect(findMismatch(spec, good)).toBeNull();
    expect(findMismatch({ ...spec, group: 'secp256r1' }, good)).toBeNull();
    expect(findMismatch(makeTestSpec(), plainText)).toBeNull();
  });

  it.each([
    [{ protocol: 'TLSv1.2' }, /protocol should be TLSv1.3, but the connection has TLSv1.2/],
    [{ cipherSuite: 'TLS_AES_256_GCM_SHA384' }, /cipher suite should be TLS_AES_128_GCM_SHA256/],
    [{ group: 'X25519' }, /group should be P-256, but the connection has X25519/],
    [{ group: null }, /group should be P-256, but the connection has none/],
    [{ certificate: 'ECDSA P-256' }, /certificate should be RSA 2048/],
    [{ resumed: true }, /session should be a full handshake/],
  ])('names the difference: %o', (change, message) => {
    const failure = findMismatch(spec, { ...good, ...change });
    expect(failure?.code).toBe('negotiation-mismatch');
    expect(failure?.message).toMatch(message);
  });
});
