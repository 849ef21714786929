import type { CoveringArray } from '@mqttlab/shared/testing/covering-array';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeCoverage, makePairwiseMatrix } from './testing/matrix-plan.ts';
import { expectSteady, playRows } from './testing/matrix-run.ts';
import { startExternalBroker } from './testing/ordinary-runs.ts';
import { type Life, Rig } from './testing/rig.ts';

interface Bench {
  life: Life;
  remove(): Promise<void>;
}

async function startBench(): Promise<Bench> {
  const rig = new Rig();
  const life = await rig.start({ realAgents: true });
  const stopBroker = await startExternalBroker(life);
  expect(await life.runtime.whenReady(60_000)).toBe(true);
  return {
    life,
    remove: async () => {
      await rig.remove();
      await stopBroker();
    },
  };
}

/** The seconds that it takes to find the rows would cost a server in this process its agents: it has its own. */
async function makeMatrix(): Promise<CoveringArray> {
  const { life, remove } = await startBench();
  const testbed = life.runtime.testbeds.capabilities('local');
  await remove();
  if (testbed === null) throw new Error('the built-in testbed is missing');
  return makePairwiseMatrix(testbed);
}

describe('every pair of levels that planning allows', { timeout: 1_800_000 }, () => {
  let matrix: CoveringArray;
  let bench: Bench;
  beforeAll(async () => {
    matrix = await makeMatrix();
    bench = await startBench();
  }, 300_000);
  afterAll(() => bench.remove(), 60_000);

  it('negotiates and delivers as asked', async () => {
    const startedAt = Date.now();
    console.log(describeCoverage(matrix));
    expect(matrix.covered).toBe(matrix.wanted - matrix.impossible.length - matrix.unsuitable.length);
    expect(await playRows(bench.life, matrix.rows, expectSteady)).toEqual([]);
    console.log(`${matrix.rows.length} runs in ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
  });
});
