import type { Security } from '../domain/trial-spec.ts';

export interface SuiteDescription {
  name: string;
  security: Exclude<Security, 'plain'>;
  /** How the keys are agreed on; TLS 1.3 suites leave that to the group. */
  keyExchange: 'by group' | 'ECDHE' | 'DHE' | 'RSA';
  /** Which certificate it needs; TLS 1.3 suites take any. */
  authentication: 'any' | 'ECDSA' | 'RSA';
  /** For example "AES-256-GCM". */
  cipher: string;
  forwardSecrecy: boolean;
}

function cipherOf(name: string): string {
  if (/CHACHA20[-_]POLY1305/.test(name)) return 'ChaCha20-Poly1305';
  const match = /(AES|ARIA|CAMELLIA)[-_]?(128|256)[-_](GCM|CCM[-_]?8|CCM)/.exec(name);
  return match ? `${match[1]}-${match[2]}-${match[3]?.replace(/CCM[-_]?8/, 'CCM-8')}` : name;
}

/**
 * Reads an OpenSSL suite name ("ECDHE-RSA-AES128-GCM-SHA256", "TLS_AES_128_GCM_SHA256").
 * RFC 8446 B.4 for TLS 1.3; the older names follow openssl-ciphers(1).
 */
export function describeSuite(name: string): SuiteDescription {
  const cipher = cipherOf(name);
  if (name.startsWith('TLS_')) {
    const security = 'TLS 1.3';
    return { name, security, keyExchange: 'by group', authentication: 'any', cipher, forwardSecrecy: true };
  }
  const keyExchange = name.startsWith('ECDHE-') ? 'ECDHE' : name.startsWith('DHE-') ? 'DHE' : 'RSA';
  return {
    name,
    security: 'TLS 1.2',
    keyExchange,
    authentication: name.startsWith('ECDHE-ECDSA-') ? 'ECDSA' : 'RSA',
    cipher,
    forwardSecrecy: keyExchange !== 'RSA',
  };
}
