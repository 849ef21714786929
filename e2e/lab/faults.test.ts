import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeFaultBench } from './fixtures/fault-bench.ts';
import { TestbedsLab } from './fixtures/testbeds-lab.ts';
import { readMachineState } from './machine-state.ts';
import { testKilledProcesses } from './themes/agent-and-broker.ts';
import { testFaultyDevices } from './themes/device-faults.ts';
import { testImpairment } from './themes/impairment.ts';
import { testBrokenNetworks } from './themes/network.ts';
import { testScheduling } from './themes/scheduling.ts';
import { testKilledServer } from './themes/server-killed.ts';
import { testShellText } from './themes/shell-text.ts';

/** One lab for all tests: installing nine plain Pis takes longer than any test. */
const name = 'faults';
const here = new TestbedsLab(name, 'off');
let before: Awaited<ReturnType<typeof readMachineState>>;

beforeAll(async () => {
  await here.clear();
  before = await readMachineState(name);
  await here.start(3);
});
afterAll(() => here.remove());

const bench = makeFaultBench(here);
testKilledProcesses(bench);
testBrokenNetworks(bench);
testFaultyDevices(bench);
testKilledServer(bench);
testScheduling(bench);
testImpairment(bench);
testShellText(bench);

it('the lab is removed completely, including devices with active runs', async () => {
  const [testbed] = here.testbeds;
  if (testbed === undefined) throw new Error('there is no testbed');
  await here.beginUntil(testbed, 'measure');
  await here.lab.setCable(testbed.device.publisher, 'wifi', false);
  await here.killServer();
  await here.down();
  expect(await readMachineState(name)).toEqual(before);
});
