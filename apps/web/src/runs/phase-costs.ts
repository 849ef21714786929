import { wireBytesOf } from '@mqttlab/shared/catalogue/evidence';
import { phases, setUpPhases } from '@mqttlab/shared/domain/phase';
import type { RoleResult } from '@mqttlab/shared/domain/role-result';
import type { PhaseCost } from '../charts/waterfall-data.ts';

/** The phases of one device for the waterfall. Bytes are counted on the clients' sockets, above TCP. */
export function makePhaseCosts(result: RoleResult): PhaseCost[] {
  return phases.flatMap((phase): PhaseCost[] => {
    const record = result.phases.find((item) => item.phase === phase);
    if (!record) return [];
    return [
      {
        name: phase,
        part: setUpPhases.includes(phase) ? 'set-up' : 'load',
        timeMs: record.durationUs / 1000,
        cpuMs: record.cpuUs === null ? null : record.cpuUs / 1000,
        bytes: phase === 'tcp' ? null : wireBytesOf(record),
        energyJ: record.energyJ,
      },
    ];
  });
}

export interface SetUpSum {
  timeMs: number;
  cpuMs: number | null;
  /** null where nobody counted them. */
  bytes: number | null;
  energyJ: number | null;
}

/** What connecting cost in all; null for devices that do not connect. */
export function sumSetUp(costs: readonly PhaseCost[]): SetUpSum | null {
  const own = costs.filter((cost) => cost.part === 'set-up');
  if (own.length === 0) return null;
  return own.reduce<SetUpSum>(
    (sum, cost) => ({
      timeMs: sum.timeMs + (cost.timeMs ?? 0),
      cpuMs: sum.cpuMs === null || cost.cpuMs === null ? null : sum.cpuMs + cost.cpuMs,
      bytes: cost.bytes === null ? sum.bytes : (sum.bytes ?? 0) + cost.bytes,
      energyJ: sum.energyJ === null || cost.energyJ === null ? null : sum.energyJ + cost.energyJ,
    }),
    { timeMs: 0, cpuMs: 0, bytes: null, energyJ: 0 },
  );
}
