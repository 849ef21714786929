import { wireBytesOf } from '@mqttlab/shared/catalogue/evidence/evidence';
import { phases, setUpPhases } from '@mqttlab/shared/domain/runs/phase';
import type { RoleResult } from '@mqttlab/shared/domain/runs/role-result';
import type { PhaseCost } from '../../../charts/datasets/waterfall-data.ts';

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
  /** From SYN to CONNACK (and SUBACK); of runs that did not tell that, the phases together. */
  timeMs: number;
  cpuMs: number | null;
  /** null where nobody counted them. */
  bytes: number | null;
  energyJ: number | null;
}

/** Mean of SYN to CONNACK over the connections that stay open, ms; null where it was not told. */
export function setUpSpanMs({ histograms }: Pick<RoleResult, 'histograms'>): number | null {
  const kept = histograms['kept.set-up'];
  return kept && kept.count > 0 ? kept.sum / kept.count / 1000 : null;
}

/** What connecting cost in all; null for devices that do not connect. `spanMs`: of SYN to CONNACK, where it is known. */
export function sumSetUp(costs: readonly PhaseCost[], spanMs: number | null = null): SetUpSum | null {
  const own = costs.filter((cost) => cost.part === 'set-up');
  if (own.length === 0) return null;
  const subscribeMs = own.find(({ name }) => name === 'subscribe')?.timeMs ?? 0;
  const sum = own.reduce<SetUpSum>(
    (sum, cost) => ({
      timeMs: sum.timeMs + (cost.timeMs ?? 0),
      cpuMs: sum.cpuMs === null || cost.cpuMs === null ? null : sum.cpuMs + cost.cpuMs,
      bytes: cost.bytes === null ? sum.bytes : (sum.bytes ?? 0) + cost.bytes,
      energyJ: sum.energyJ === null || cost.energyJ === null ? null : sum.energyJ + cost.energyJ,
    }),
    { timeMs: 0, cpuMs: 0, bytes: null, energyJ: 0 },
  );
  return spanMs === null ? sum : { ...sum, timeMs: spanMs + subscribeMs };
}
