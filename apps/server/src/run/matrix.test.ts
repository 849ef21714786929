import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeCoverage, makeLevelMatrix } from './testing/matrix-plan.ts';
import { playRows } from './testing/matrix-run.ts';
import { startExternalBroker } from './testing/ordinary-runs.ts';
import { type Life, Rig } from './testing/rig.ts';

/** Timeout next to other tests, several busy programs and a slow host. */
const slowness = 6;

describe('every level of every factor and every workload kind, in a few runs', { timeout: 1_200_000 }, () => {
  const rig = new Rig();
  let life: Life;
  let stopBroker = async (): Promise<void> => {};
  beforeAll(async () => {
    life = await rig.start({ realAgents: true });
    stopBroker = await startExternalBroker(life);
    expect(await life.whenReady(240_000)).toBe(true);
  });
  afterAll(async () => {
    await rig.remove();
    await stopBroker();
  });

  it('negotiates and delivers as planned', async () => {
    const testbed = life.devices.testbeds.findTestbedCapabilities('local');
    if (testbed === null) throw new Error('the built-in testbed is missing');
    const matrix = makeLevelMatrix(testbed);
    expect([...matrix.impossible, ...matrix.unsuitable]).toEqual([]);
    const startedAt = Date.now();
    expect(await playRows(life, matrix.rows, slowness)).toEqual([]);
    console.log(`${describeCoverage(matrix)}, ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
  });
});
