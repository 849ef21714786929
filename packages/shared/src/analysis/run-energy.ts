import type { RunEnergy } from '../domain/runs/role-result.ts';
import { runningIntegral } from '../statistics/energy/running-integral.ts';

/** A sample at `t` seconds from the start of the measure phase. */
interface Sample {
  t: number;
  v: number;
}

/** Returns the energy in J since the start of the measure phase, from power in W. */
export function energySinceStart(power: readonly Sample[]): Sample[] {
  const measured = power.filter(({ t }) => t >= 0);
  const joules = runningIntegral(
    measured.map(({ t }) => t),
    measured.map(({ v }) => v),
  );
  return measured.map(({ t }, index) => ({ t, v: joules[index] ?? 0 }));
}

/** Returns the charge in mAh at the supply voltage; null if the voltage is unknown. */
export function chargeMah({ measureJ, voltageV }: RunEnergy): number | null {
  if (measureJ === null || voltageV === null || voltageV <= 0) return null;
  return measureJ / voltageV / 3.6;
}

/**
 * Returns the energy in J above what the idle device would have used in the same time; null if either is
 * unknown.
 */
export function aboveIdleJ({ measureJ, baselineW }: RunEnergy, measuredUs: number | null): number | null {
  if (measureJ === null || baselineW === null || measuredUs === null) return null;
  return measureJ - baselineW * (measuredUs / 1e6);
}
