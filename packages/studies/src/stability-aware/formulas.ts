import type { StabilityEmitterRun } from '@mqttlab/shared/domain/report/report-stability';

/**
 * Returns the charge of a run in mAh, with a longer handshake and a scaled steady load. Only the set-up
 * charge scales with the handshake; the rest scales with the load.
 */
export function perturbedCharge(
  { setUpS, setUpMA, steadyMA, mAh }: Pick<StabilityEmitterRun, 'setUpS' | 'setUpMA' | 'steadyMA' | 'mAh'>,
  { handshake, load }: { handshake: number; load: number },
): number {
  const setUpMAh = ((setUpMA ?? steadyMA) * setUpS) / 3600;
  // A longer handshake shortens the steady load.
  const steadyMAh = mAh - setUpMAh - (steadyMA * setUpS * (handshake - 1)) / 3600;
  return setUpMAh * handshake + steadyMAh * load;
}

/** Returns the battery life in months at a constant duty cycle, if the baseline lasts 12 months. */
export function monthsOfTwelve(current: number, baseline: number): number {
  return (12 * baseline) / current;
}
