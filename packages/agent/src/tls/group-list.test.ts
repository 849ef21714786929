import { expect, test } from 'vitest';
import { brokerGroupListOf, groupListOf } from './suites-and-groups.ts';

test('TLS 1.3 offers only the requested group', () => {
  expect(
    groupListOf({ cipherSuite: null, security: 'TLS 1.3', group: 'X25519', certificate: 'ECDSA P-256' }),
  ).toBe('X25519');
});

test('TLS 1.2 also has to list the curve of an ECDSA certificate, after the group', () => {
  expect(
    groupListOf({ cipherSuite: null, security: 'TLS 1.2', group: 'X25519', certificate: 'ECDSA P-256' }),
  ).toBe('X25519:P-256');
  expect(
    groupListOf({ cipherSuite: null, security: 'TLS 1.2', group: 'P-256', certificate: 'ECDSA P-256' }),
  ).toBe('P-256');
  expect(
    groupListOf({ cipherSuite: null, security: 'TLS 1.2', group: 'X25519', certificate: 'RSA 2048' }),
  ).toBe('X25519');
});

test('the usual curves are listed if an external broker has another certificate', () => {
  const spec = { security: 'TLS 1.2', group: 'X25519', certificate: null } as const;
  const ecdsa = { ...spec, cipherSuite: 'ECDHE-ECDSA-AES128-GCM-SHA256' };
  expect(groupListOf(ecdsa)).toBe('X25519:P-256:P-384');
  expect(groupListOf({ ...ecdsa, group: 'P-384' })).toBe('P-384:P-256');
  expect(groupListOf({ ...spec, cipherSuite: 'ECDHE-RSA-AES128-GCM-SHA256' })).toBe('X25519');
});

test('a suite without a group pins none', () => {
  expect(
    groupListOf({ cipherSuite: null, security: 'TLS 1.2', group: null, certificate: 'RSA 2048' }),
  ).toBeNull();
});

test('a finite field under TLS 1.2 is a parameter of the broker, not a listed group', () => {
  const dhe = { security: 'TLS 1.2', cipherSuite: 'DHE-RSA-AES128-SHA', certificate: 'RSA 2048' } as const;
  expect(groupListOf({ ...dhe, group: 'ffdhe3072' })).toBeNull();
});

test('a broker lists the curve of an ECDSA certificate only if clients present one', () => {
  const spec = {
    security: 'TLS 1.2',
    cipherSuite: 'ECDHE-ECDSA-AES128-SHA',
    group: 'X25519',
    certificate: 'ECDSA P-384',
  } as const;
  expect(brokerGroupListOf({ ...spec, clientCertificate: 'none' })).toBe('X25519');
  expect(brokerGroupListOf({ ...spec, clientCertificate: 'mutual TLS' })).toBe('X25519:P-384');
});
