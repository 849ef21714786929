import type { EnergySample } from './energy-source.ts';
import { type Integrated, integrateEnergy, type Window } from './integrate-energy.ts';

export interface PhaseEnergy {
  grossJ: number;
  /** Above what the idle device would have drawn in the same time; negative where it drew less. */
  netJ: number;
  meanPowerW: number;
}

export interface PhaseEnergyOptions {
  /** The idle stretch at the beginning of the Trial. */
  baseline: Window;
  phases: readonly (Window & { phase: string })[];
  longestGapUs: number;
}

/** Energy of every phase and what of it the load cost; a phase without enough samples has the reason instead. */
export function summarisePhaseEnergy(
  samples: readonly EnergySample[],
  { baseline, phases, longestGapUs }: PhaseEnergyOptions,
): {
  baselineW: number | null;
  phases: { phase: string; energy: PhaseEnergy | null; reason: string | null }[];
} {
  const idle = integrateEnergy(samples, baseline, longestGapUs);
  const baselineW = 'energy' in idle ? idle.energy.meanPowerW : null;
  return {
    baselineW,
    phases: phases.map(({ phase, ...window }) => {
      const integrated: Integrated =
        'reason' in idle
          ? { reason: `no idle baseline: ${idle.reason}` }
          : integrateEnergy(samples, window, longestGapUs);
      if ('reason' in integrated) return { phase, energy: null, reason: integrated.reason };
      const { energyJ, meanPowerW } = integrated.energy;
      const idleJ = (baselineW ?? 0) * ((window.toUs - window.fromUs) / 1e6);
      return { phase, energy: { grossJ: energyJ, netJ: energyJ - idleJ, meanPowerW }, reason: null };
    }),
  };
}

/** Charge at a chosen voltage: 1 mAh is 3.6 coulomb. */
export function toMilliampereHours(energyJ: number, volts: number): number {
  if (!(volts > 0)) throw new RangeError(`${volts} V is no voltage to convert with`);
  return energyJ / volts / 3.6;
}

/** Of one message or one handshake; null when there was none. */
export function energyEach(energyJ: number, count: number): number | null {
  return count > 0 ? energyJ / count : null;
}
