import * as z from 'zod';
import type { TestbedView } from '../../domain/devices/testbed-view.ts';
import type { Levels } from '../../domain/factor.ts';
import { makeOptionFactor, type OptionFactor } from '../make-factor.ts';
import { anyPool, hasPublishers, loadPool } from './load-pool.ts';

const all = 0;
const most = 1000;
const presets = [all, 1, 10, 50];

/** Devices that publish with these levels: all there are, or as many of them as are asked for. */
export function countLoadAgents(
  { loadAgents: wanted, loadPool: pool }: Levels,
  testbed: TestbedView,
): number {
  const { length } = testbed.publisherPools.filter((own) => (pool ?? anyPool) === anyPool || own === pool);
  return Number(wanted ?? all) === all ? length : Math.min(length, Number(wanted));
}

export const loadAgents: OptionFactor<number> = makeOptionFactor({
  id: 'loadAgents',
  label: 'Load agents',
  group: 'load',
  audience: 'expert',
  help: 'Devices over which the publishers are divided. 0: all that are there when a run begins.',
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
    const there = countLoadAgents({ loadPool: pool, loadAgents: all }, testbed);
    if (Number(value) <= there) return null;
    const where = pool === anyPool ? 'in this testbed' : `in ${loadPool.levelLabel(pool)}`;
    return {
      reason: `${there} ${there === 1 ? 'device that publishes is' : 'devices that publish are'} online ${where}`,
      remedy: 'Enrol more agents, or ask for fewer.',
    };
  },
});
