import { expect, test } from 'vitest';
import { groupListOf } from './group-list.ts';

test('TLS 1.3 offers the group asked for, alone', () => {
  expect(groupListOf({ security: 'TLS 1.3', group: 'X25519', certificate: 'ECDSA P-256' })).toBe('X25519');
});

test('TLS 1.2 also has to name the curve of an ECDSA certificate, behind the group', () => {
  expect(groupListOf({ security: 'TLS 1.2', group: 'X25519', certificate: 'ECDSA P-256' })).toBe(
    'X25519:P-256',
  );
  expect(groupListOf({ security: 'TLS 1.2', group: 'P-256', certificate: 'ECDSA P-256' })).toBe('P-256');
  expect(groupListOf({ security: 'TLS 1.2', group: 'X25519', certificate: 'RSA 2048' })).toBe('X25519');
});

test('a suite without a group pins none', () => {
  expect(groupListOf({ security: 'TLS 1.2', group: null, certificate: 'RSA 2048' })).toBeNull();
});
