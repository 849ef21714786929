import type { StabilityEmitterRun } from '@mqttlab/shared/domain/report/report-stability';

/**
 * Charge of a run, mAh, with the handshake lengthened and the steady load multiplied: only the charge of setting up
 * grows with the former, all the rest with the latter.
 */
export function perturbedCharge(
  { setUpS, setUpMA, steadyMA, mAh }: Pick<StabilityEmitterRun, 'setUpS' | 'setUpMA' | 'steadyMA' | 'mAh'>,
  { handshake, load }: { handshake: number; load: number },
): number {
  const setUpMAh = ((setUpMA ?? steadyMA) * setUpS) / 3600;
  // A longer handshake takes time from the steady load.
  const steadyMAh = mAh - setUpMAh - (steadyMA * setUpS * (handshake - 1)) / 3600;
  return setUpMAh * handshake + steadyMAh * load;
}

/** Months that a battery lasts which lasts 12 with the baseline, at a constant duty cycle. */
export function monthsOfTwelve(current: number, baseline: number): number {
  return (12 * baseline) / current;
}
