/**
 * The OpenSSL cipher string that allows one suite and no other.
 * Suites with an 8-byte tag (RFC 6655) count as weak since OpenSSL 3.0 and need security level 0.
 */
export function cipherStringOf(suite: string): string {
  if (!/CCM_?8/.test(suite)) return suite;
  // Level 0 needs a TLS 1.2 list to hang on to, even where only TLS 1.3 is spoken.
  return suite.startsWith('TLS_') ? `${suite}:DEFAULT:@SECLEVEL=0` : `${suite}:@SECLEVEL=0`;
}

/** TLS 1.3 suites begin with "TLS_" (RFC 8446 appendix B.4), OpenSSL's TLS 1.2 names never do. */
export function isTls13Suite(suite: string): boolean {
  return suite.startsWith('TLS_');
}
