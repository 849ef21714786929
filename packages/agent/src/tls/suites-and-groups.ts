import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';

/** One key-exchange group with all its OpenSSL names; this program uses the first name. */
const aliases: readonly (readonly string[])[] = [
  ['X25519'],
  ['X448'],
  ['P-256', 'prime256v1', 'secp256r1'],
  ['P-384', 'secp384r1'],
  ['P-521', 'secp521r1'],
];

/** Returns the canonical name of a group, so that two spellings of the same group compare as equal. */
export function canonicalGroup(name: string): string {
  const lower = name.toLowerCase();
  const known = aliases.find((names) => names.some((alias) => alias.toLowerCase() === lower));
  return known?.[0] ?? name;
}

export function isSameGroup(a: string, b: string): boolean {
  return canonicalGroup(a).toLowerCase() === canonicalGroup(b).toLowerCase();
}

/**
 * Returns the name of the group from `tlsSocket.getEphemeralKeyInfo()`: elliptic curves and hybrids by name,
 * finite fields (RFC 7919) by size. Returns null without an ephemeral key (RSA key exchange).
 */
export function groupOf(key: object | null): string | null {
  if (key === null) return null;
  if ('name' in key && typeof key.name === 'string' && key.name !== '') return canonicalGroup(key.name);
  if ('type' in key && key.type === 'DH' && 'size' in key) return `ffdhe${String(key.size)}`;
  return null;
}

type GroupSpec = Pick<TrialSpec, 'security' | 'cipherSuite' | 'group' | 'certificate'>;

/**
 * Returns the groups that a client offers, in OpenSSL's notation: only the requested group. TLS 1.2 uses the
 * same list for the curve of an ECDSA certificate (RFC 8422 section 5.1.1). In TLS 1.2, the certificate's
 * curve therefore follows in second place, or both usual curves if the certificate is external. Returns null
 * if there is no group to choose.
 */
export function groupListOf(spec: GroupSpec): string | null {
  const group = namedGroupOf(spec);
  if (group === null) return null;
  if (spec.security !== 'TLS 1.2') return group;
  return [...new Set([group, ...certificateCurves(spec)])].join(':');
}

function certificateCurves({ certificate, cipherSuite }: GroupSpec): string[] {
  if (certificate?.startsWith('ECDSA ')) return [certificate.slice('ECDSA '.length)];
  return certificate === null && cipherSuite?.startsWith('ECDHE-ECDSA-') ? ['P-256', 'P-384'] : [];
}

/**
 * Returns the groups that a broker offers: only the requested group. A server does not check its own
 * certificate's curve against this list, but it does check the curve of a client's certificate, which is of
 * the same kind.
 */
export function brokerGroupListOf(spec: GroupSpec & Pick<TrialSpec, 'clientCertificate'>): string | null {
  return spec.clientCertificate === 'mutual TLS' ? groupListOf(spec) : namedGroupOf(spec);
}

/**
 * Returns the group if the handshake names it; the finite field of a DHE suite is a parameter of the broker
 * instead.
 */
function namedGroupOf({ cipherSuite, group }: GroupSpec): string | null {
  return cipherSuite?.startsWith('DHE-') ? null : group;
}

/** The groups published in RFC 7919 appendix A.1 and A.2, as Diffie-Hellman parameters for DHE suites. */
const ffdhe2048 = `-----BEGIN DH PARAMETERS-----
MIIBCAKCAQEA//////////+t+FRYortKmq/cViAnPTzx2LnFg84tNpWp4TZBFGQz
+8yTnc4kmz75fS/jY2MMddj2gbICrsRhetPfHtXV/WVhJDP1H18GbtCFY2VVPe0a
87VXE15/V8k1mE8McODmi3fipona8+/och3xWKE2rec1MKzKT0g6eXq8CrGCsyT7
YdEIqUuyyOP7uWrat2DX9GgdT0Kj3jlN9K5W7edjcrsZCwenyO4KbXCeAvzhzffi
7MA0BM0oNC9hkXL+nOmFg/+OTxIy7vKBg8P+OxtMb61zO7X8vC7CIAXFjvGDfRaD
ssbzSibBsu/6iGtCOGEoXJf//////////wIBAg==
-----END DH PARAMETERS-----
`;

const ffdhe3072 = `-----BEGIN DH PARAMETERS-----
MIIBiAKCAYEA//////////+t+FRYortKmq/cViAnPTzx2LnFg84tNpWp4TZBFGQz
+8yTnc4kmz75fS/jY2MMddj2gbICrsRhetPfHtXV/WVhJDP1H18GbtCFY2VVPe0a
87VXE15/V8k1mE8McODmi3fipona8+/och3xWKE2rec1MKzKT0g6eXq8CrGCsyT7
YdEIqUuyyOP7uWrat2DX9GgdT0Kj3jlN9K5W7edjcrsZCwenyO4KbXCeAvzhzffi
7MA0BM0oNC9hkXL+nOmFg/+OTxIy7vKBg8P+OxtMb61zO7X8vC7CIAXFjvGDfRaD
ssbzSibBsu/6iGtCOGEfz9zeNVs7ZRkDW7w09N75nAI4YbRvydbmyQd62R0mkff3
7lmMsPrBhtkcrv4TCYUTknC0EwyTvEN5RPT9RFLi103TZPLiHnH1S/9croKrnJ32
nuhtK8UiNjoNq8Uhl5sN6todv5pC1cRITgq80Gv6U93vPBsg7j/VnXwl5B0rZsYu
N///////////AgEC
-----END DH PARAMETERS-----
`;

/** Returns the PEM of the group that a DHE suite in TLS 1.2 uses: ffdhe2048 unless ffdhe3072 is requested. */
export function diffieHellmanParameters(group: string | null): string {
  return group === 'ffdhe3072' ? ffdhe3072 : ffdhe2048;
}

/** AEAD suites in TLS 1.3 (RFC 8446 appendix B.4), preferred suites first. */
export const tls13Suites = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_AES_128_GCM_SHA256',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_CCM_SHA256',
  'TLS_AES_128_CCM_8_SHA256',
] as const;

/**
 * Suites of TLS 1.2 by OpenSSL name (openssl-ciphers(1)): AEAD first, then CBC with HMAC-SHA-2 and
 * HMAC-SHA-1. Excluded: PSK and SRP (no certificates), anonymous (no authentication), DSS (no such
 * certificates here), NULL.
 */
export const tls12Suites = [
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES256-CCM',
  'ECDHE-ECDSA-AES128-CCM',
  'ECDHE-ECDSA-AES256-CCM8',
  'ECDHE-ECDSA-AES128-CCM8',
  'ECDHE-ECDSA-ARIA256-GCM-SHA384',
  'ECDHE-ECDSA-ARIA128-GCM-SHA256',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ARIA256-GCM-SHA384',
  'ECDHE-ARIA128-GCM-SHA256',
  'DHE-RSA-AES256-GCM-SHA384',
  'DHE-RSA-AES128-GCM-SHA256',
  'DHE-RSA-CHACHA20-POLY1305',
  'DHE-RSA-AES256-CCM',
  'DHE-RSA-AES128-CCM',
  'DHE-RSA-AES256-CCM8',
  'DHE-RSA-AES128-CCM8',
  'DHE-RSA-ARIA256-GCM-SHA384',
  'DHE-RSA-ARIA128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-GCM-SHA256',
  'AES256-CCM',
  'AES128-CCM',
  'AES256-CCM8',
  'AES128-CCM8',
  'ARIA256-GCM-SHA384',
  'ARIA128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-SHA384',
  'ECDHE-ECDSA-AES128-SHA256',
  'ECDHE-ECDSA-CAMELLIA256-SHA384',
  'ECDHE-ECDSA-CAMELLIA128-SHA256',
  'ECDHE-RSA-AES256-SHA384',
  'ECDHE-RSA-AES128-SHA256',
  'ECDHE-RSA-CAMELLIA256-SHA384',
  'ECDHE-RSA-CAMELLIA128-SHA256',
  'DHE-RSA-AES256-SHA256',
  'DHE-RSA-AES128-SHA256',
  'DHE-RSA-CAMELLIA256-SHA256',
  'DHE-RSA-CAMELLIA128-SHA256',
  'AES256-SHA256',
  'AES128-SHA256',
  'CAMELLIA256-SHA256',
  'CAMELLIA128-SHA256',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES256-SHA',
  'ECDHE-RSA-AES128-SHA',
  'DHE-RSA-AES256-SHA',
  'DHE-RSA-AES128-SHA',
  'DHE-RSA-CAMELLIA256-SHA',
  'DHE-RSA-CAMELLIA128-SHA',
  'AES256-SHA',
  'AES128-SHA',
  'CAMELLIA256-SHA',
  'CAMELLIA128-SHA',
] as const;

/**
 * Returns true for suites that need security level 0. Suites with an 8-byte tag (RFC 6655) count as 64 bits
 * strong since OpenSSL 3.0, which refuses them above level 0 (SSL_CTX_set_security_level(3)). CBC with
 * HMAC-SHA-1 and RSA key exchange still pass its default, level 2.
 */
export function needsLevelZero(suite: string): boolean {
  return /CCM_?8/.test(suite);
}

/**
 * Returns the OpenSSL cipher string that allows only one suite; it lowers the security level only if
 * necessary.
 */
export function cipherStringOf(suite: string): string {
  if (!needsLevelZero(suite)) return suite;
  // Level 0 requires a cipher list for TLS 1.2, even if only TLS 1.3 is used.
  return suite.startsWith('TLS_') ? `${suite}:DEFAULT:@SECLEVEL=0` : `${suite}:@SECLEVEL=0`;
}

/**
 * Returns true for TLS 1.3 suites, which start with "TLS_" (RFC 8446 appendix B.4); OpenSSL's TLS 1.2 names
 * never do.
 */
export function isTls13Suite(suite: string): boolean {
  return suite.startsWith('TLS_');
}
