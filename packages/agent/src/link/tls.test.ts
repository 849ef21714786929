import { groupNames } from '@mqttlab/shared/catalogue/factors/group';
import { describe, expect, test } from 'vitest';
import { cipherStringOf, tls12Suites, tls13Suites } from '../tls/suites-and-groups.ts';
import {
  groupsOfVersion,
  parseGroups,
  parseOpensslVersion,
  probeNodeTls,
  probeOpensslTls,
  writesClientHello,
} from '../tls/tls-library.ts';

test('each candidate is named once, authenticates and encrypts', () => {
  const candidates = [...tls13Suites, ...tls12Suites];
  expect(new Set(candidates).size).toBe(candidates.length);
  for (const suite of candidates) expect(suite).not.toMatch(/PSK|SRP|ADH|AECDH|DSS|NULL|RC4|3?DES/);
});

describe('capabilities of Node', () => {
  test('are detected by trying', async () => {
    const { suites, groups, library } = await probeNodeTls();
    expect(suites).toEqual(
      expect.arrayContaining([...tls13Suites, 'ECDHE-RSA-AES128-GCM-SHA256', 'AES128-SHA']),
    );
    expect(suites).toEqual(expect.arrayContaining(['DHE-RSA-AES256-SHA256', 'ECDHE-ECDSA-AES256-SHA']));
    expect(groups).toEqual([...groupNames]);
    expect(library).toContain(process.versions.openssl);
  });

  test('a name that does not exist, or that the security level forbids, is not usable', async () => {
    expect(await writesClientHello({ ciphers: 'TLS_AES_512_GCM_SHA999' })).toBe(false);
    expect(await writesClientHello({ ecdhCurve: 'P-999' })).toBe(false);
    const tls12 = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
    expect(await writesClientHello({ ...tls12, ciphers: 'AES128-CCM8' })).toBe(false);
    expect(await writesClientHello({ ...tls12, ciphers: cipherStringOf('AES128-CCM8') })).toBe(true);
  });
});

describe('capabilities of the OpenSSL of a program', () => {
  test('are reported by the openssl command of the same library', async () => {
    const tls = await probeOpensslTls('/usr/sbin/mosquitto');
    expect(tls.library).toMatch(/^OpenSSL \d+\.\d+\.\d+/);
    expect(tls.suites).toEqual(
      expect.arrayContaining([...tls13Suites.slice(0, 3), 'DHE-RSA-AES128-GCM-SHA256', 'AES256-SHA']),
    );
    expect(tls.groups).toEqual(expect.arrayContaining(['X25519', 'P-256']));
  });

  test('are empty for a program without TLS', async () => {
    expect(await probeOpensslTls('/bin/true')).toMatchObject({ suites: [], groups: [], certificates: [] });
  });
});

test.each([
  ['OpenSSL 3.0.17 1 Jul 2025 (Library: OpenSSL 3.0.18 30 Sep 2025)', '3.0.18'],
  ['OpenSSL 1.1.1n  15 Mar 2022', '1.1.1n'],
  ['LibreSSL 3.8.2', null],
])('the version in "%s" is %s', (text, version) => {
  expect(parseOpensslVersion(text)).toBe(version);
});

test('groups by the version of OpenSSL', () => {
  expect(groupsOfVersion('1.1.1n')).toEqual(['X25519', 'P-256', 'P-384', 'P-521', 'X448']);
  expect(groupsOfVersion('3.0.17')).toEqual(expect.arrayContaining(['ffdhe2048', 'ffdhe3072']));
  expect(groupsOfVersion('3.0.17')).not.toContain('X25519MLKEM768');
  expect(groupsOfVersion('3.5.0')).toEqual([...groupNames]);
});

test('groups as OpenSSL 3.5 lists them', () => {
  const text = 'secp256r1:secp384r1:x25519:x448:brainpoolP256r1tls13:ffdhe2048:X25519MLKEM768\n';
  expect(parseGroups(text)).toEqual(['X25519', 'P-256', 'P-384', 'X448', 'ffdhe2048', 'X25519MLKEM768']);
});
