import { describe, expect, it } from 'vitest';
import type { BrokerCapability } from '../domain/devices/capabilities.ts';
import { makeTestbedView } from '../domain/devices/testbed-view.ts';
import type { Levels } from '../domain/factor.ts';
import { expandTreatments } from '../planning/expand-treatments.ts';
import { makeTreatments } from '../planning/make-treatments.ts';
import {
  makeCapabilities,
  makeDraft,
  makeNegotiated,
  makeTestbed,
  makeTrialSpec,
} from '../testing/factories.ts';
import { protectionOf } from './ciphers/protection.ts';
import { describeSuite } from './ciphers/suites.ts';
import { certificate } from './factors/certificate.ts';
import { clientCertificate } from './factors/client-certificate.ts';
import { group } from './factors/group.ts';
import { session } from './factors/session.ts';
import { transport } from './factors/transport.ts';
import { negotiatedRows } from './verdicts/negotiated-as-asked.ts';

const dhe = 'DHE-RSA-AES128-GCM-SHA256';
const ecdhe = 'ECDHE-RSA-AES128-GCM-SHA256';

/** A testbed whose ends know more than the usual one, and whose broker can be changed. */
function viewWith(change: Partial<BrokerCapability> = {}) {
  const plain = makeTestbed();
  const everywhere = {
    library: 'OpenSSL',
    suites: [dhe, ecdhe, 'AES128-SHA', 'TLS_AES_128_GCM_SHA256'],
    groups: ['X25519', 'P-256'],
    certificates: ['ECDSA P-256' as const, 'RSA 2048' as const],
  };
  const devices = plain.devices.map((device) => {
    const capabilities = makeCapabilities(device.role);
    const brokers = capabilities.brokers.map((broker) => ({ ...broker, tls: everywhere, ...change }));
    return { ...device, capabilities: { ...capabilities, tls: everywhere, brokers } };
  });
  return makeTestbedView({ ...plain, devices });
}

describe('what a suite is', () => {
  it.each([
    ['TLS_AES_128_GCM_SHA256', 'AES-128-GCM', 'AEAD', null],
    ['TLS_AES_128_CCM_8_SHA256', 'AES-128-CCM-8', 'AEAD', /8 bytes/],
    ['ECDHE-ECDSA-AES256-GCM-SHA384', 'AES-256-GCM', 'AEAD', null],
    ['ECDHE-RSA-CHACHA20-POLY1305', 'ChaCha20-Poly1305', 'AEAD', null],
    ['ECDHE-ARIA128-GCM-SHA256', 'ARIA-128-GCM', 'AEAD', null],
    ['ECDHE-ECDSA-AES256-SHA', 'AES-256-CBC', 'SHA-1', /CBC.*SHA-1/],
    ['ECDHE-RSA-AES256-SHA384', 'AES-256-CBC', 'SHA-384', /CBC/],
    ['ECDHE-RSA-CAMELLIA128-SHA256', 'Camellia-128-CBC', 'SHA-256', /CBC/],
    ['AES128-SHA', 'AES-128-CBC', 'SHA-1', /no forward secrecy.*CBC.*SHA-1/i],
    ['AES256-GCM-SHA384', 'AES-256-GCM', 'AEAD', /no forward secrecy/i],
    [dhe, 'AES-128-GCM', 'AEAD', /Diffie-Hellman/i],
  ])('%s', (...[name, cipher, mac, insecure]) => {
    const suite = describeSuite(name);
    expect(suite).toMatchObject({ cipher, mac });
    if (insecure === null) expect(suite.insecure).toBeNull();
    else expect(suite.insecure).toMatch(insecure);
  });
});

describe('the group of a suite', () => {
  const plan = (cipherSuites: string[], groups: string[]) => {
    const draft = makeDraft({
      factors: { security: ['TLS 1.2'], cipherSuite: cipherSuites, group: groups, certificate: ['RSA 2048'] },
    });
    const cells = expandTreatments(draft, viewWith());
    return makeTreatments(cells, draft).map(({ spec }, i) => [
      spec.cipherSuite,
      spec.group,
      cells[i]?.refusals[0]?.reason ?? null,
    ]);
  };

  it("is the broker's own finite field for DHE, once, whatever curves are chosen", () => {
    expect(plan([dhe], ['X25519', 'P-256'])).toEqual([[dhe, null, null]]);
  });

  it('is the finite field asked for, which ECDHE refuses in words', () => {
    expect(plan([dhe, ecdhe], ['X25519', 'ffdhe3072'])).toEqual([
      [dhe, 'ffdhe3072', null],
      [ecdhe, 'X25519', null],
      [ecdhe, 'ffdhe3072', 'in TLS 1.2, ffdhe3072 needs a DHE suite'],
    ]);
  });

  it('follows the RSA key where the broker does not let it be set', () => {
    const levels: Levels = { security: 'TLS 1.2', cipherSuite: dhe, certificate: 'RSA 2048' };
    const stubborn = viewWith({ choosesFiniteField: false });
    expect(group.refuse('ffdhe2048', levels, stubborn)).toBeNull();
    expect(group.refuse('ffdhe3072', levels, stubborn)).toMatchObject({
      reason: 'mosquitto uses ffdhe2048 with an RSA 2048 certificate',
      remedy: expect.stringContaining('RSA 3072'),
    });
    expect(group.refuse('ffdhe3072', { ...levels, certificate: 'RSA 3072' }, stubborn)).toBeNull();
  });

  it('is none where RSA encrypts the key', () => {
    expect(plan(['AES128-SHA'], ['X25519', 'P-256'])).toEqual([['AES128-SHA', null, null]]);
  });

  it('must be known to the library at both ends, and a hybrid needs TLS 1.3', () => {
    const levels: Levels = { security: 'TLS 1.3' };
    expect(group.refuse('X448', levels, viewWith())?.reason).toMatch(/does not support it/);
    expect(group.refuse('X25519MLKEM768', { security: 'TLS 1.2' }, viewWith())?.reason).toMatch(/TLS 1.3/);
  });
});

describe('certificates', () => {
  const all = viewWith({
    tls: {
      library: 'OpenSSL',
      suites: [],
      groups: [],
      certificates: ['ECDSA P-256', 'ECDSA P-384', 'Ed25519', 'RSA 2048'],
    },
  });

  it.each([
    ['ECDHE-ECDSA-AES128-GCM-SHA256', 'Ed25519', null],
    ['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDSA P-384', null],
    ['ECDHE-ECDSA-AES128-GCM-SHA256', 'RSA 2048', 'the suite needs an ECDSA certificate'],
    [ecdhe, 'Ed25519', 'the suite needs an RSA certificate'],
    ['AES128-SHA', 'ECDSA P-256', 'the suite needs an RSA certificate'],
    ['TLS_AES_128_GCM_SHA256', 'Ed25519', null],
  ])('%s with %s: %s', (suite, kind, reason) => {
    expect(certificate.refuse(kind, { cipherSuite: suite }, all)?.reason ?? null).toBe(reason);
  });

  it('of clients need a broker that can be configured to request them', () => {
    expect(clientCertificate.refuse('mutual TLS', {}, viewWith())).toBeNull();
    const deaf = viewWith({ clientCertificates: false });
    expect(clientCertificate.refuse('mutual TLS', {}, deaf)).toMatchObject({
      reason: expect.stringContaining('cannot be configured'),
      remedy: expect.stringContaining('Choose'),
    });
    expect(clientCertificate.refuse('none', {}, deaf)).toBeNull();
  });
});

describe('resumption', () => {
  it('is refused per version where the broker does not resume', () => {
    const half = viewWith({ resumes: ['TLS 1.2'] });
    expect(session.refuse('resumed', { security: 'TLS 1.2' }, half)).toBeNull();
    expect(session.refuse('resumed', {}, half)).toBeNull();
    expect(session.refuse('resumed', { security: 'TLS 1.3' }, half)?.reason).toBe(
      'mosquitto 2.0.11 does not resume TLS 1.3 sessions',
    );
    expect(session.refuse('full', { security: 'TLS 1.3' }, viewWith({ resumes: [] }))).toBeNull();
    expect(session.refuse('resumed', { client: 'mosquitto clients' }, half)?.reason).toMatch(
      /do not store sessions/,
    );
  });
});

describe('asked beside negotiated', () => {
  const statusOf = (asked: Parameters<typeof makeTrialSpec>[0], got: Parameters<typeof makeNegotiated>[0]) =>
    Object.fromEntries(
      negotiatedRows(makeTrialSpec(asked), makeNegotiated(got)).map((row) => [row.parameter, row.equal]),
    );

  it.each([
    ['Certificate chain', { chainLength: 3 as const }, { certificateChainLength: 2 }],
    ['Client certificate', { clientCertificate: 'mutual TLS' as const }, { clientCertificate: null }],
    ['Client certificate', { clientCertificate: 'none' as const }, { clientCertificate: 'ECDSA P-256' }],
    ['Session', { session: 'resumed' as const }, { resumed: false }],
    ['Session', { session: 'full' as const }, { resumed: true }],
  ])('%s differs', (parameter, asked, got) => {
    expect(statusOf(asked, got)[parameter]).toBe(false);
  });

  it('agrees under mutual TLS, and leaves open what a resumed handshake does not show', () => {
    const mutual = { clientCertificate: 'mutual TLS' as const };
    expect(statusOf(mutual, { clientCertificate: 'ECDSA P-256' })).toMatchObject({
      'Client certificate': true,
      'Certificate chain': true,
      Session: true,
    });
    const nothingShown = { certificate: null, certificateChainLength: null, clientCertificate: null };
    expect(statusOf({ ...mutual, session: 'resumed' }, { ...nothingShown, resumed: true })).toMatchObject({
      'Server certificate': null,
      'Certificate chain': null,
      'Client certificate': null,
      Session: true,
    });
  });

  it('skips parameters that a client in a separate process does not report', () => {
    const unseen = {
      certificate: null,
      certificateChainLength: null,
      clientCertificate: null,
      resumed: null,
    };
    expect(statusOf({ clientCertificate: 'mutual TLS' }, unseen)).toMatchObject({
      'Server certificate': null,
      'Client certificate': null,
    });
  });
});

describe('what is protected', () => {
  const of = (change: Parameters<typeof makeTrialSpec>[0]) => protectionOf(makeTrialSpec(change));

  it('is everything under mutual TLS 1.3 with an AEAD', () => {
    const protection = of({ clientCertificate: 'mutual TLS' });
    expect(Object.values(protection).map(({ level }) => level)).toEqual(Array(5).fill('yes'));
    expect(protection.peerAuthentication.detail).toBe('broker and clients');
    expect(of({}).peerAuthentication).toEqual({ level: 'partly', detail: 'broker only' });
  });

  it('is less with CBC, a short tag, a resumed TLS 1.2 session, RSA key transport, or nothing', () => {
    const tls12 = { security: 'TLS 1.2' as const };
    expect(of({ ...tls12, cipherSuite: 'ECDHE-RSA-AES128-SHA' }).confidentiality.level).toBe('partly');
    expect(of({ ...tls12, cipherSuite: 'ECDHE-ECDSA-AES128-CCM8' }).integrity.level).toBe('partly');
    expect(of({ ...tls12, cipherSuite: ecdhe }).forwardSecrecy.level).toBe('yes');
    expect(of({ ...tls12, cipherSuite: ecdhe, session: 'resumed' }).forwardSecrecy.level).toBe('partly');
    expect(of({ session: 'resumed' }).forwardSecrecy.level).toBe('yes');
    expect(of({ ...tls12, cipherSuite: 'AES128-SHA', session: 'resumed' }).forwardSecrecy.level).toBe('no');
    expect(Object.values(of({ security: 'plain' })).every(({ level }) => level === 'no')).toBe(true);
  });
});

describe('a DHE suite over WebSocket', () => {
  const levels: Levels = { security: 'TLS 1.2', cipherSuite: dhe, transport: 'websocket' };

  it('is refused by Mosquitto, which has no parameters for it there', () => {
    expect(transport.refuse('websocket', levels, viewWith())?.reason).toContain('Diffie-Hellman');
    expect(transport.refuse('tcp', { ...levels, transport: 'tcp' }, viewWith())).toBeNull();
  });

  it('is possible with an ECDHE suite, and with the embedded broker', () => {
    expect(transport.refuse('websocket', { ...levels, cipherSuite: ecdhe }, viewWith())).toBeNull();
    expect(transport.refuse('websocket', levels, viewWith({ kind: 'embedded' }))).toBeNull();
  });
});
