import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type CertificateKind, certificateKinds } from '../../domain/plans/trial-spec.ts';
import { describeSuite } from '../ciphers/suites.ts';

/** Ed25519 also signs for ECDHE-ECDSA suites under TLS 1.2 (RFC 8422 section 5.10). */
function authenticationOf(kind: CertificateKind): 'ECDSA' | 'RSA' {
  return kind.startsWith('RSA') ? 'RSA' : 'ECDSA';
}

export const certificate: FactorDefinition = {
  id: 'certificate',
  label: 'Server certificate',
  group: 'security',
  audience: 'expert',
  help: 'Key type of the broker’s certificate and of the intermediates above it. This testbed’s certificate authority issues them.',
  unit: null,
  schema: z.enum(certificateKinds),
  input: { kind: 'choice' },
  defaultLevel: () => 'ECDSA P-256',
  options: (testbed) =>
    certificateKinds.map((value) => ({ value, refusal: certificate.refuse(value, {}, testbed) })),
  levelLabel: (value) => String(value),
  shortLabel: (value) => String(value),
  // An external broker has its own certificate.
  applies: (levels) => levels.security !== 'plain' && levels.broker !== 'external',
  refuse: (value, levels, testbed) => {
    const suite = levels.cipherSuite;
    const needed = typeof suite === 'string' ? describeSuite(suite).authentication : 'any';
    if (needed !== 'any' && needed !== authenticationOf(value as CertificateKind)) {
      return needed === 'RSA'
        ? { reason: 'the suite needs an RSA certificate', remedy: 'Combine it with RSA 2048.' }
        : { reason: 'the suite needs an ECDSA certificate', remedy: 'Combine it with ECDSA P-256.' };
    }
    if (testbed.broker && !testbed.broker.tls.certificates.includes(value as CertificateKind)) {
      return { reason: 'the broker does not support this key type', remedy: 'Choose another certificate.' };
    }
    return null;
  },
  apply: (spec, value) => ({ ...spec, certificate: value as CertificateKind | null }),
};
