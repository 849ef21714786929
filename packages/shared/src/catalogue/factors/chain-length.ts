import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';

const lengths = [1, 2, 3] as const;

export const chainLength: FactorDefinition = {
  id: 'chainLength',
  label: 'Certificate chain',
  group: 'security',
  audience: 'expert',
  help: 'Certificates that the broker sends: its own, and intermediates with keys of the same kind. The root certificate is not sent.',
  unit: null,
  schema: z.literal(lengths),
  input: { kind: 'choice' },
  defaultLevel: () => 1,
  options: () => lengths.map((value) => ({ value, refusal: null })),
  levelLabel: (value) => (value === 1 ? '1 certificate' : `${value} certificates`),
  shortLabel: (value) => `chain ${value}`,
  // An external broker shows the certificate that it has.
  applies: (levels) => levels.security !== 'plain' && levels.broker !== 'external',
  // Every library sends the chain it is given.
  refuse: () => null,
  apply: (spec, value) => ({ ...spec, chainLength: value === null ? null : Number(value) }),
};
