import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';

const lengths = [1, 2, 3] as const;

export const chainLength: FactorDefinition = {
  id: 'chainLength',
  label: 'Certificate chain',
  group: 'security',
  audience: 'expert',
  help: 'Number of certificates that the broker sends: its own certificate, and intermediates with keys of the same type. The root certificate is not sent.',
  unit: null,
  schema: z.literal(lengths),
  input: { kind: 'choice' },
  defaultLevel: () => 1,
  options: () => lengths.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 1 ? '1 certificate' : `${value} certificates`),
  shortLabel: (value) => `chain ${value}`,
  // An external broker has its own certificate.
  applies: (levels) => levels.security !== 'plain' && levels.broker !== 'external',
  // Every TLS library can send any configured chain.
  refuse: () => null,
  apply: (spec, value) => ({ ...spec, chainLength: value === null ? null : Number(value) }),
};
