import { setTimeout as wait } from 'node:timers/promises';
import type { PhaseRecord } from '@mqttlab/shared/domain/runs/role-result';
import { expect, test } from 'vitest';
import { systemClock } from '../../load/pacing/clock.ts';
import { writeFileTree } from '../../testing/file-tree.ts';
import { makeTemporaryFolder } from '../../testing/temporary-folder.ts';
import { clock, makePhase, startMeter } from './testing/meter-bench.ts';
import { ina226Tree, pi4Tree, procStat } from './testing/pi-trees.ts';

/** A measure phase around `work`, by the testbed clock. */
async function during(work: () => Promise<unknown>): Promise<PhaseRecord> {
  const startUs = systemClock.nowUs() + clock.offsetUs;
  await work();
  return makePhase('measure', { startUs, durationUs: systemClock.nowUs() + clock.offsetUs - startUs });
}

test('a sensor is measured idle first, and then measures the energy of sufficiently long phases', async () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, { ...pi4Tree, ...ina226Tree, stat: procStat(1_000, 9_000) });
  const { meter, capability } = await startMeter(root);
  expect(capability).toMatchObject({ id: 'ina2xx', quality: 'measured' });
  writeFileTree(root, { 'class/hwmon/hwmon4/power1_input': '6250000\n' });
  await wait(150);
  const measure = await during(() => wait(600));
  await wait(150);
  await meter.stop();
  const short = makePhase('tcp', { startUs: measure.startUs, durationUs: 300 });
  const { phases, energy, series, degraded } = meter.findings([short, measure], {
    ...clock,
    measureAtUs: measure.startUs,
  });
  expect(degraded).toEqual([]);
  expect(energy).toMatchObject({ source: 'ina2xx', quality: 'measured', voltageV: 5.1, batteryMah: 5000 });
  expect(energy?.baselineW).toBeCloseTo(3.125, 6);
  const { fromMs, toMs } = energy?.baselineWindow ?? { fromMs: 0, toMs: 0 };
  expect(toMs).toBeLessThan(0);
  expect(toMs - fromMs).toBeGreaterThan(300);
  expect(energy?.measureJ).toBeCloseTo(6.25 * (measure.durationUs / 1e6), 3);
  expect(phases.map(({ energyJ }) => energyJ)).toEqual([null, energy?.measureJ]);
  expect(series[0]).toMatchObject({ metric: 'energy.power', unit: 'W' });
  expect(series[0]?.values).toContain(6.25);
});

test('a sensor that vanishes during the run degrades it with the reason and has no value', async () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, { ...pi4Tree, ...ina226Tree, stat: procStat(1_000, 9_000) });
  const { meter } = await startMeter(root);
  const measure = await during(async () => {
    writeFileTree(root, { 'class/hwmon/hwmon4/power1_input': '' });
    writeFileTree(root, { 'class/hwmon/hwmon4/curr1_input': 'OL\n' });
    await wait(400);
  });
  await meter.stop();
  const { energy, degraded } = meter.findings([measure], clock);
  expect(energy?.measureJ).toBeNull();
  expect(energy?.baselineW).toBeCloseTo(3.125, 6);
  expect(degraded).toEqual([
    { collector: 'energy', reason: expect.stringContaining('curr1_input says "OL"') },
  ]);
});
