import type { PhaseRecord } from '@mqttlab/shared/domain/runs/role-result';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../load/pacing/clock.ts';
import { chooseEnergy, EnergyMeter } from '../energy-meter.ts';
import { makeEnergyEnvironment, probeEnergy } from '../energy-sources.ts';

export const clock = { offsetUs: 1_000_000, measureAtUs: null };

export function makeEnvironment(root: string, meterUrl: string | null = null) {
  const given = { clock: systemClock, sysRoot: root, procRoot: root, meterUrl, interfaceNames: ['wlan0'] };
  return makeEnergyEnvironment(given);
}

export function makePhase(phase: PhaseRecord['phase'], change: Partial<PhaseRecord>): PhaseRecord {
  const nothing = { cpuUs: 0, energyJ: null, bytesSent: 0, bytesReceived: 0, connections: 1 };
  return { phase, startUs: 0, durationUs: 0, ...nothing, ...change };
}

/** A meter that is stopped after the test, with the best source of a device. */
export async function startMeter(root: string, meterUrl: string | null = null) {
  const environment = makeEnvironment(root, meterUrl);
  const capability = chooseEnergy(await probeEnergy(environment), null);
  if (capability === null) throw new Error('there is no source');
  const meter = new EnergyMeter({
    environment,
    capability,
    supplyVolts: 5.1,
    batteryMah: 5000,
    medium: 'wifi',
  });
  onTestFinished(() => meter.stop());
  await meter.start();
  return { meter, capability };
}
