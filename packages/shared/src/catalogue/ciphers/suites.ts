import type { Security } from '../../domain/plans/trial-spec.ts';

export interface SuiteDescription {
  name: string;
  security: Exclude<Security, 'plain'>;
  /** Key exchange; in TLS 1.3, the group determines it. */
  keyExchange: 'by group' | 'ECDHE' | 'DHE' | 'RSA';
  /** Required certificate; TLS 1.3 suites accept any type. Ed25519 counts as ECDSA (RFC 8422 section 5.3). */
  authentication: 'any' | 'ECDSA' | 'RSA';
  /** For example "AES-256-GCM" or "AES-256-CBC". */
  cipher: string;
  /** AEAD: the cipher includes authentication. */
  mac: 'AEAD' | 'SHA-1' | 'SHA-256' | 'SHA-384';
  forwardSecrecy: boolean;
  /** Why the suite is unsuitable for production, as a sentence; null if there is no known weakness. */
  insecure: string | null;
}

const blockCiphers = /(AES|ARIA|CAMELLIA)[-_]?(128|256)(?:[-_](GCM|CCM[-_]?8|CCM))?/;

function cipherOf(name: string): string {
  if (/CHACHA20[-_]POLY1305/.test(name)) return 'ChaCha20-Poly1305';
  const [, family, bits, mode = 'CBC'] = blockCiphers.exec(name) ?? [];
  if (family === undefined) return name;
  return `${family.replace('CAMELLIA', 'Camellia')}-${bits}-${mode.replace(/CCM[-_]?8/, 'CCM-8')}`;
}

/** The hash at the end of the name is the MAC of a CBC suite; in an AEAD suite it is only used for key derivation. */
function macOf(name: string, cipher: string): SuiteDescription['mac'] {
  if (!cipher.endsWith('-CBC')) return 'AEAD';
  if (name.endsWith('-SHA384')) return 'SHA-384';
  return name.endsWith('-SHA256') ? 'SHA-256' : 'SHA-1';
}

/**
 * RFC 9325 section 4.1 (RSA key transport, less than 112 bits), RFC 7366 (CBC), draft-ietf-tls-deprecate-obsolete-kex
 * (finite-field Diffie-Hellman under TLS 1.2).
 */
function weaknessOf(suite: Omit<SuiteDescription, 'insecure'>): string | null {
  const reasons = [
    ...(suite.forwardSecrecy ? [] : ['no forward secrecy, as RSA encrypts the key']),
    ...(suite.keyExchange === 'DHE' ? ['finite-field Diffie-Hellman is being withdrawn from TLS 1.2'] : []),
    ...(suite.mac === 'AEAD' ? [] : ['CBC is vulnerable to padding attacks without encrypt-then-MAC']),
    ...(suite.mac === 'SHA-1' ? ['its MAC is HMAC-SHA-1'] : []),
    ...(suite.cipher.endsWith('CCM-8') ? ['its tag has only 8 bytes'] : []),
  ];
  const text = reasons.join('; ');
  return text === '' ? null : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/**
 * Parses an OpenSSL suite name ("ECDHE-RSA-AES128-GCM-SHA256", "AES256-SHA", "TLS_AES_128_GCM_SHA256"). TLS
 * 1.3 names follow RFC 8446 B.4; older names follow openssl-ciphers(1).
 */
export function describeSuite(name: string): SuiteDescription {
  const suite = describeParts(name);
  return { ...suite, insecure: weaknessOf(suite) };
}

function describeParts(name: string): Omit<SuiteDescription, 'insecure'> {
  const cipher = cipherOf(name);
  const common = { name, cipher, mac: macOf(name, cipher) };
  if (name.startsWith('TLS_')) {
    return {
      ...common,
      mac: 'AEAD',
      security: 'TLS 1.3',
      keyExchange: 'by group',
      authentication: 'any',
      forwardSecrecy: true,
    };
  }
  const keyExchange = name.startsWith('ECDHE-') ? 'ECDHE' : name.startsWith('DHE-') ? 'DHE' : 'RSA';
  return {
    ...common,
    security: 'TLS 1.2',
    keyExchange,
    authentication: name.startsWith('ECDHE-ECDSA-') ? 'ECDSA' : 'RSA',
    forwardSecrecy: keyExchange !== 'RSA',
  };
}
