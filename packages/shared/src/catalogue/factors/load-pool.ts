import { poolNameSchema } from '../../domain/devices/capabilities.ts';
import type { FactorDefinition } from '../../domain/factor.ts';
import { makeOptionFactor, type OptionFactor } from '../make-factor.ts';

export const anyPool = 'any';

/** Whether as many connections publish as somebody chose. */
export const hasPublishers: FactorDefinition['applies'] = (_levels, workload) =>
  workload !== 'states' && workload !== 'availability';

export const loadPool: OptionFactor<string> = makeOptionFactor({
  id: 'loadPool',
  label: 'Load pool',
  group: 'load',
  audience: 'expert',
  help: 'The pool of agents whose devices publish, where a testbed has several. any: all devices of the role.',
  unit: null,
  schema: poolNameSchema,
  neutral: anyPool,
  input: { kind: 'choice' },
  defaultLevel: () => anyPool,
  options: ({ publisherPools }) =>
    [anyPool, ...new Set(publisherPools.filter((pool) => pool !== null))].map((value) => ({
      value,
      refusal: null,
    })),
  levelLabel: (value) => (value === anyPool ? 'any pool' : `pool ${value}`),
  shortLabel: (value) => (value === anyPool ? 'any pool' : String(value)),
  applies: hasPublishers,
  refuse: (value, _levels, { publisherPools }) =>
    value === anyPool || publisherPools.includes(String(value))
      ? null
      : {
          reason: `no agent of pool ${value} that publishes is online in this testbed`,
          remedy: 'Enrol agents in it, or choose another pool.',
        },
});
