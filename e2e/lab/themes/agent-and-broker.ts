import { describe, expect, it } from 'vitest';
import type { FaultBench } from '../fixtures/fault-bench.ts';
import type { TrialPhase } from '../fixtures/phase-moments.ts';
import { brokerProcess, type LabRole } from '../fixtures/testbeds-lab.ts';

/** Device processes that exit during a run. */
export function testKilledProcesses({ here, onATestbed, expectOneRetry }: FaultBench): void {
  describe.concurrent('an agent that is killed', () => {
    const cases: [TrialPhase, LabRole][] = [
      ['prepare', 'broker'],
      ['connect', 'publisher'],
      ['warm-up', 'subscriber'],
      ['measure', 'broker'],
      ['drain', 'publisher'],
      ['teardown', 'subscriber'],
    ];
    it.each(cases)('in %s, as %s, costs one run, and says which device was lost', async (phase, role) => {
      await onATestbed(async (testbed) => {
        const name = testbed.device[role];
        const kill = await here.aimAtAgent(name);
        const id = await here.beginUntil(testbed, phase);
        kill();
        const failure = await expectOneRetry(testbed, id);
        expect(failure).toMatchObject({ code: 'agent-lost', message: expect.stringContaining(name) });
        expect(failure?.remedy).toMatch(/device is on/);
      });
    });
  });

  it.concurrent('a broker that is killed costs one run, and is named', async () => {
    await onATestbed(async (testbed) => {
      const id = await here.beginUntil(testbed, 'measure');
      await here.kill(testbed.device.broker, brokerProcess);
      const failure = await expectOneRetry(testbed, id);
      expect(failure).toMatchObject({ code: 'broker-died', remedy: expect.stringMatching(/retry the run/i) });
    });
  });
}
