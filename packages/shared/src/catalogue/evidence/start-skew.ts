import type { RunEvidence } from '../../domain/runs/metric.ts';
import type { RoleResult } from '../../domain/runs/role-result.ts';
import { machineOf, nameOf } from './evidence.ts';
import { deviceBoundUs } from './latency-evidence.ts';

/** How far apart the devices began to measure; times on the testbed clock, µs. */
export interface StartSkew {
  skewUs: number;
  /** Most that it can be wrong by: the clocks of the first and the last device; null where they were not compared. */
  boundUs: number | null;
  first: string;
  last: string;
}

/** All were told one instant; each says when its measure phase really began. null with fewer than two devices. Pure. */
export function startSkew({ results }: Pick<RunEvidence, 'results'>): StartSkew | null {
  const starts = results
    .flatMap((result) => {
      const measure = result.phases.find(({ phase }) => phase === 'measure');
      return measure ? [{ result, startUs: measure.startUs }] : [];
    })
    .sort((a, b) => a.startUs - b.startUs);
  const [first, last] = [starts[0], starts.at(-1)];
  if (!first || !last || first === last) return null;
  return {
    skewUs: last.startUs - first.startUs,
    boundUs: pairBoundUs(first.result, last.result),
    first: nameOf(first.result),
    last: nameOf(last.result),
  };
}

function pairBoundUs(a: RoleResult, b: RoleResult): number | null {
  if (machineOf(a) === machineOf(b) && a.clock?.before.offsetUs === b.clock?.before.offsetUs) return 0;
  return a.clock && b.clock ? deviceBoundUs(a.clock) + deviceBoundUs(b.clock) : null;
}
