import type { CoveringArray, CoveringRow } from '@mqttlab/shared/testing/covering-array';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeCoverage, makePairwiseMatrix } from './testing/matrix-plan.ts';
import { playRows } from './testing/matrix-run.ts';
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
  expect(await life.whenReady(60_000)).toBe(true);
  return {
    life,
    remove: async () => {
      await rig.remove();
      await stopBroker();
    },
  };
}

/**
 * Finding the rows takes seconds, during which a server in this process would lose its agents, so it runs separately.
 */
async function makeMatrix(): Promise<CoveringArray> {
  const { life, remove } = await startBench();
  const testbed = life.devices.testbeds.findTestbedCapabilities('local');
  await remove();
  if (testbed === null) throw new Error('the built-in testbed is missing');
  return makePairwiseMatrix(testbed);
}

/** True if the kernel drops, delays or limits packets of the row. */
function isShaped({ levels: { loss, delay, rateLimit } }: CoveringRow): boolean {
  return Number(loss ?? 0) > 0 || Number(delay ?? 0) > 0 || (rateLimit ?? 'none') !== 'none';
}

describe('every pair of levels that planning allows', { timeout: 1_800_000 }, () => {
  let matrix: CoveringArray;
  let benches: Bench[] = [];
  beforeAll(async () => {
    matrix = await makeMatrix();
    benches = await Promise.all([startBench(), startBench()]);
  }, 300_000);
  afterAll(() => Promise.all(benches.map((bench) => bench.remove())), 60_000);

  it('negotiates and delivers as planned', async () => {
    const startedAt = Date.now();
    console.log(describeCoverage(matrix));
    expect(matrix.covered).toBe(matrix.wanted - matrix.impossible.length - matrix.unsuitable.length);
    // Two at a time, because a run mostly waits. Only one of them shapes links: an agent refuses a link that another shapes.
    const [shaper, other] = benches;
    const rest = matrix.rows.filter((row) => !isShaped(row)).values();
    function* shapedFirst() {
      yield* matrix.rows.filter(isShaped);
      yield* rest;
    }
    const faults = await Promise.all([playRows(shaper!.life, shapedFirst()), playRows(other!.life, rest)]);
    expect(faults.flat()).toEqual([]);
    console.log(`${matrix.rows.length} runs in ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
  });
});
