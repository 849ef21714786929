import * as z from 'zod';
import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import type { Levels } from '../../domain/factor.ts';
import { makeOptionFactor, type OptionFactor } from '../make-option-factor.ts';
import { anyPool, hasPublishers, loadPool } from './load-pool.ts';

const all = 0;
const most = 1000;
const presets = [all, 1, 10, 50];

/**
 * Returns the number of devices that publish with these levels: the requested number, or all devices if it is
 * 0.
 */
export function countLoadAgents(
  { loadAgents: requested, loadPool: pool }: Levels,
  testbed: TestbedView,
): number {
  const { length } = testbed.publisherPools.filter((name) => (pool ?? anyPool) === anyPool || name === pool);
  return Number(requested ?? all) === all ? length : Math.min(length, Number(requested));
}

export const loadAgents: OptionFactor<number> = makeOptionFactor({
  id: 'loadAgents',
  label: 'Load agents',
  group: 'load',
  audience: 'expert',
  help: 'Number of devices that share the publishers. 0 means all devices that are online when a run starts.',
  unit: null,
  schema: z.int().min(all).max(most),
  neutral: all,
  input: { kind: 'number', min: all, max: most, integer: true, presets },
  defaultLevel: () => all,
  options: (testbed) => presets.map((value) => ({ value, refusal: loadAgents.refuse(value, {}, testbed) })),
  levelLabel: (value) =>
    value === all ? 'all load agents' : value === 1 ? '1 load agent' : `${value} load agents`,
  shortLabel: (value) => (value === all ? 'all agents' : `${value} ag`),
  applies: hasPublishers,
  refuse(value, levels, testbed) {
    const pool = levels.loadPool ?? anyPool;
    const online = countLoadAgents({ loadPool: pool, loadAgents: all }, testbed);
    if (Number(value) <= online) return null;
    const where = pool === anyPool ? 'in this testbed' : `in ${loadPool.levelLabel(pool)}`;
    return {
      reason: `only ${online} publishing ${online === 1 ? 'device is' : 'devices are'} online ${where}`,
      remedy: 'Enrol more agents, or choose fewer.',
    };
  },
});
