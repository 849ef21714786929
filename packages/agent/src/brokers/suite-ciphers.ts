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
