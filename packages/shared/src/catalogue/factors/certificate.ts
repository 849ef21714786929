import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';
import { type CertificateKind, certificateKinds } from '../../domain/trial-spec.ts';
import { describeSuite } from '../suites.ts';

export const certificate: FactorDefinition = {
  id: 'certificate',
  label: 'Server certificate',
  group: 'security',
  audience: 'expert',
  help: 'Key of the certificate the broker shows; issued by the authority of this testbed.',
  unit: null,
  schema: z.enum(certificateKinds),
  input: { kind: 'choice' },
  defaultLevel: () => 'ECDSA P-256',
  options: (testbed) =>
    certificateKinds.map((value) => ({ value, refusal: certificate.refuse(value, {}, testbed) })),
  levelLabel: (value) => String(value),
  shortLabel: (value) => String(value),
  applies: (levels) => levels.security !== 'plain',
  refuse: (value, levels, testbed) => {
    const suite = levels.cipherSuite;
    if (typeof suite === 'string') {
      const { authentication } = describeSuite(suite);
      if (authentication !== 'any' && !String(value).startsWith(authentication)) {
        return {
          reason: `the suite needs ${authentication === 'RSA' ? 'an RSA' : 'an ECDSA'} certificate`,
          remedy: `Combine it with ${authentication === 'RSA' ? 'RSA 2048' : 'ECDSA P-256'}.`,
        };
      }
    }
    if (testbed.broker && !testbed.broker.tls.certificates.includes(value as CertificateKind)) {
      return { reason: 'the broker cannot use such a key', remedy: 'Choose another certificate.' };
    }
    return null;
  },
  apply: (spec, value) => ({ ...spec, certificate: value as CertificateKind | null }),
};
