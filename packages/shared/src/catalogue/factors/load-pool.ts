import { poolNameSchema } from '../../domain/devices/capabilities.ts';
import type { FactorDefinition } from '../../domain/factor.ts';
import { makeOptionFactor, type OptionFactor } from '../make-option-factor.ts';

export const anyPool = 'any';

/** Whether the number of publishers can be chosen in this workload. */
export const hasPublishers: FactorDefinition['applies'] = (_levels, workload) =>
  workload !== 'states' && workload !== 'availability';

export const loadPool: OptionFactor<string> = makeOptionFactor({
  id: 'loadPool',
  label: 'Load pool',
  group: 'load',
  audience: 'expert',
  help: 'Pool of agents whose devices publish, if the testbed has several pools. “any” means all devices with this role.',
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
          reason: `no publishing agent of pool ${value} is online in this testbed`,
          remedy: 'Enrol agents in this pool, or choose another.',
        },
});
