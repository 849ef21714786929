import { integrateEnergy } from '@mqttlab/shared/analysis/integrate-energy';
import type { PhaseRecord } from '@mqttlab/shared/domain/runs/role-result';
import type { EnergySample } from './energy-source.ts';
import { estimatePowerW, type LinkMedium, type PowerModel } from './power-model.ts';

export interface PhaseEnergyOptions {
  /** Testbed µs minus µs of the samples. */
  offsetUs: number;
  /** Between samples, ms. */
  intervalMs: number;
  /** Coefficients of an estimated source; null where a sensor gave the samples. */
  model: PowerModel | null;
  /** What carries the load. */
  medium: LinkMedium | null;
}

/** Intervals that a phase must last, so that it is more than one sample between its neighbours. */
const minIntervals = 2;
/** Samples that may be missing in a row. */
const maxMissing = 5;
const minGapMs = 2_000;

/**
 * The same phases with the energy of the device in each. A phase too short for the samples gets none from a sensor;
 * an estimate is made from what the process itself did in it.
 */
export function addPhaseEnergy(
  phases: readonly PhaseRecord[],
  samples: readonly EnergySample[],
  options: PhaseEnergyOptions,
): PhaseRecord[] {
  return phases.map((record) => ({ ...record, energyJ: energyOf(record, samples, options) }));
}

function energyOf(
  record: PhaseRecord,
  samples: readonly EnergySample[],
  { offsetUs, intervalMs, model, medium }: PhaseEnergyOptions,
): number | null {
  if (record.durationUs < minIntervals * intervalMs * 1_000) {
    return model === null ? null : estimateShort(record, model, medium);
  }
  const fromUs = record.startUs - offsetUs;
  const longestGapUs = Math.max(minGapMs, maxMissing * intervalMs) * 1_000;
  const integrated = integrateEnergy(samples, { fromUs, toUs: fromUs + record.durationUs }, longestGapUs);
  return 'energy' in integrated ? integrated.energy.energyJ : null;
}

function estimateShort(
  { durationUs, cpuUs, bytesSent, bytesReceived, connections }: PhaseRecord,
  model: PowerModel,
  medium: LinkMedium | null,
): number | null {
  if (cpuUs === null || !(durationUs > 0)) return null;
  // Duration is the mean over connections, CPU time and bytes are those of all of them.
  const share = Math.max(1, connections) * durationUs;
  const mbit = (((bytesSent ?? 0) + (bytesReceived ?? 0)) * 8) / share;
  const mbitPerSecond = { wifi: 0, ethernet: 0, ...(medium === null ? {} : { [medium]: mbit }) };
  return estimatePowerW(model, { busyCores: cpuUs / share, mbitPerSecond }) * (durationUs / 1e6);
}
