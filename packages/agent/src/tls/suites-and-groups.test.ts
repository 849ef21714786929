import { expect, it } from 'vitest';
import { groupOf, isSameGroup } from './suites-and-groups.ts';

it('finds a group by all its names', () => {
  for (const name of ['prime256v1', 'secp256r1', 'p-256']) expect(isSameGroup(name, 'P-256')).toBe(true);
  expect(isSameGroup('secp384r1', 'P-384')).toBe(true);
  expect(isSameGroup('x25519', 'X25519')).toBe(true);
  expect(isSameGroup('X25519', 'X448')).toBe(false);
  expect(isSameGroup('x25519mlkem768', 'X25519MLKEM768')).toBe(true);
});

it('reads the description of the ephemeral key by OpenSSL', () => {
  expect(groupOf({ type: 'ECDH', name: 'prime256v1', size: 256 })).toBe('P-256');
  expect(groupOf({ type: 'TLSGroup', name: 'X25519MLKEM768' })).toBe('X25519MLKEM768');
  expect(groupOf({ type: 'DH', size: 3072 })).toBe('ffdhe3072');
  expect(groupOf({})).toBeNull();
  expect(groupOf(null)).toBeNull();
});
