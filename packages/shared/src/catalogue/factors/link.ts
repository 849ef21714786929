import * as z from 'zod';
import type { FactorDefinition } from '../../domain/factor.ts';

export const link: FactorDefinition = {
  id: 'link',
  label: 'Link',
  group: 'network',
  audience: 'everyone',
  help: 'Network interface on which the broker listens and to which the clients connect.',
  unit: null,
  schema: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,31}$/, 'is not the name of an interface'),
  input: { kind: 'choice' },
  defaultLevel: (testbed) =>
    (testbed.links.find((entry) => entry.kind === 'loopback') ?? testbed.links[0])?.name ?? 'lo',
  options: (testbed) => testbed.links.map((entry) => ({ value: entry.name, refusal: null })),
  levelLabel: (value) => (value === 'lo' ? 'loopback (lo)' : String(value)),
  shortLabel: (value) => (value === 'lo' ? 'loopback' : String(value)),
  applies: () => true,
  refuse: (value, _levels, testbed) =>
    testbed.links.some((entry) => entry.name === value)
      ? null
      : {
          reason: `interface ${value} on the broker's device is missing or down`,
          remedy: `Choose one of ${testbed.links.map((entry) => entry.name).join(', ') || 'its interfaces'}.`,
        },
  apply: (spec, value) => ({ ...spec, link: String(value ?? 'lo') }),
};
