import { describe, expect, it } from 'vitest';
import { makeTestbedView } from '../../domain/devices/testbed-view.ts';
import { expandTreatments } from '../../planning/expand-treatments.ts';
import { makeCapabilities, makeDraft, makeTestbed, makeTrialSpec } from '../../testing/factories.ts';
import { payloadCipher } from '../factors/payload-cipher.ts';
import { payloadEncoding } from '../factors/payload-encoding.ts';
import {
  carriedBytesOf,
  cipherImplementations,
  expansionBytesOf,
  payloadCipherDefinitions,
  protectionsOf,
} from './payload-ciphers.ts';

describe.each(payloadCipherDefinitions)('payload cipher $id', (cipher) => {
  it('says what it is and what it does not do', () => {
    expect(cipher.id).toMatch(/^[a-z0-9-]+$/);
    expect(cipher.source.length).toBeGreaterThan(5);
    expect(cipher.nonceRule).toMatch(/\d+\^\d+|n\^2/);
    expect(cipherImplementations).toContain(cipher.implementation);
    expect(cipher.protects.peerAuthentication.level).toBe(cipher.keyAgreement === null ? 'partly' : 'no');
    const authenticated = cipher.layout.tagBytes > 0;
    expect(cipher.protects.integrity.level === 'no').toBe(!authenticated);
    expect(cipher.protects.replay.level).toBe(authenticated ? 'partly' : 'no');
    if (!authenticated) expect(cipher.caution).toMatch(/authentication code/);
  });

  it('is a level that every client device must offer', () => {
    const testbed = makeTestbed();
    expect(payloadCipher.refuse(cipher.id, {}, makeTestbedView(testbed))).toBeNull();
    const subscriber = testbed.devices.find(({ role }) => role === 'subscriber');
    if (subscriber) {
      const others = payloadCipherDefinitions.map(({ id }) => id).filter((id) => id !== cipher.id);
      subscriber.capabilities = makeCapabilities('subscriber', {
        hostname: 'old-pi',
        payloadCiphers: others,
      });
    }
    expect(payloadCipher.refuse(cipher.id, {}, makeTestbedView(testbed))?.reason).toContain('old-pi');
  });

  it('protects end to end, whatever TLS does hop by hop', () => {
    const { hop, endToEnd } = protectionsOf(
      makeTrialSpec({ security: 'plain', cipherSuite: null, payloadCipher: cipher.id }),
    );
    expect(hop.confidentiality.level).toBe('no');
    expect(endToEnd).toEqual(cipher.protects);
  });
});

it('has unique ids and names', () => {
  for (const pick of ['id', 'label'] as const) {
    expect(new Set(payloadCipherDefinitions.map((cipher) => cipher[pick])).size).toBe(
      payloadCipherDefinitions.length,
    );
  }
});

it('knows nothing end to end without a cipher', () => {
  expect(protectionsOf(makeTrialSpec())).toMatchObject({ endToEnd: null, caution: null });
});

it.each([
  [{ payloadCipher: null, payloadEncoding: 'binary' }, 100],
  [{ payloadCipher: 'aes-256-gcm', payloadEncoding: 'binary' }, 128],
  [{ payloadCipher: 'aes-128-ccm-8', payloadEncoding: 'binary' }, 120],
  [{ payloadCipher: null, payloadEncoding: 'base64 in JSON' }, 26 + 136],
  [{ payloadCipher: 'aes-256-gcm', payloadEncoding: 'base64 in JSON' }, 26 + 172],
  [{ payloadCipher: 'ecdh-p256-aes-128-cbc-as-published', payloadEncoding: 'binary' }, 128],
] as const)('a payload of 100 B with %o takes %i B', (change, bytes) => {
  expect(carriedBytesOf(makeTrialSpec({ readingBytes: 100, ...change }))).toBe(bytes);
});

it('always pads with CBC, also a whole number of blocks', () => {
  const cbc = payloadCipherDefinitions.find(({ layout }) => layout.paddedTo !== null);
  expect(cbc && [0, 1, 15, 16, 17].map((bytes) => expansionBytesOf(cbc, bytes))).toEqual([
    32, 31, 17, 32, 31,
  ]);
});

it('refuses what mosquitto_pub and mosquitto_sub cannot do, and leaves the rest to them', () => {
  const view = makeTestbedView(makeTestbed());
  const client = { client: 'mosquitto clients' };
  expect(payloadCipher.refuse('aes-256-gcm', client, view)?.reason).toContain('cannot encrypt');
  expect(payloadEncoding.refuse('base64 in JSON', client, view)?.reason).toContain('cannot encode');
  expect(payloadCipher.refuse('none', client, view)).toBeNull();
  expect(payloadEncoding.refuse('binary', client, view)).toBeNull();
});

it('counts payloads once if no messages are sent', () => {
  const factors = {
    security: ['plain'],
    payloadCipher: ['none', 'aes-256-gcm'],
    payloadEncoding: ['binary', 'base64 in JSON'],
  };
  const { workload } = makeDraft();
  const cells = (kind: 'stream' | 'handshake') =>
    expandTreatments(makeDraft({ factors, workload: { ...workload, kind } }), makeTestbedView(makeTestbed()));
  expect(cells('stream')).toHaveLength(4);
  expect(cells('handshake')).toHaveLength(1);
});
