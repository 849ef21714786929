import type { CertificateKind } from '@mqttlab/shared/domain/plans/trial-spec';

/**
 * The one signature scheme offered for each kind of certificate (RFC 8446 section 4.2.3). Node cannot tell which
 * scheme a server chose; offering exactly one makes the answer certain, and the same with every broker.
 */
const schemes: Readonly<Record<CertificateKind, string>> = {
  'ECDSA P-256': 'ecdsa_secp256r1_sha256',
  'ECDSA P-384': 'ecdsa_secp384r1_sha384',
  Ed25519: 'ed25519',
  'RSA 2048': 'rsa_pss_rsae_sha256',
  'RSA 3072': 'rsa_pss_rsae_sha256',
  'RSA 4096': 'rsa_pss_rsae_sha256',
};

/** null when the Trial leaves the kind open: then all schemes are offered and the choice stays unknown. */
export function pinnedSignature(certificate: CertificateKind | null): string | null {
  return certificate === null ? null : schemes[certificate];
}

/** Suites with RSA key exchange sign nothing in the handshake (RFC 5246 section 7.4.3). */
export function signsHandshake(cipherSuite: string): boolean {
  return cipherSuite.startsWith('TLS_') || /^(ECDHE|DHE)-/.test(cipherSuite);
}
