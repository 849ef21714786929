/** AEAD suites of TLS 1.3 (RFC 8446 appendix B.4), strongest use first. */
export const tls13Suites = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_AES_128_GCM_SHA256',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_CCM_SHA256',
  'TLS_AES_128_CCM_8_SHA256',
] as const;

/**
 * Suites of TLS 1.2 by OpenSSL name (openssl-ciphers(1)): AEAD first, then CBC with HMAC-SHA-2 and HMAC-SHA-1.
 * Left out: PSK and SRP (no certificates), anonymous (no authentication), DSS (no such certificates here), NULL.
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
 * Suites with an 8-byte tag (RFC 6655) count as 64 bits strong since OpenSSL 3.0, which refuses them above level 0
 * (SSL_CTX_set_security_level(3)). CBC with HMAC-SHA-1 and RSA key exchange still pass its default, level 2.
 */
export function needsLevelZero(suite: string): boolean {
  return /CCM_?8/.test(suite);
}

/** The OpenSSL cipher string that allows one suite and no other; it lowers the security level only where it must. */
export function cipherStringOf(suite: string): string {
  if (!needsLevelZero(suite)) return suite;
  // Level 0 needs a TLS 1.2 list to hang on to, even where only TLS 1.3 is spoken.
  return suite.startsWith('TLS_') ? `${suite}:DEFAULT:@SECLEVEL=0` : `${suite}:@SECLEVEL=0`;
}

/** TLS 1.3 suites begin with "TLS_" (RFC 8446 appendix B.4), OpenSSL's TLS 1.2 names never do. */
export function isTls13Suite(suite: string): boolean {
  return suite.startsWith('TLS_');
}
