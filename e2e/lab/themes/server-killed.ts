import { describe, expect, it } from 'vitest';
import { expectWhole, type FaultBench } from '../fixtures/fault-bench.ts';
import { trialPhases } from '../fixtures/phase-moments.ts';

/** SIGKILL of the server during runs on every testbed. */
export function testKilledServer({ here }: FaultBench): void {
  describe('a server that is killed', () => {
    it.each(trialPhases)(
      'in %s loses nothing, doubles nothing and leaves nothing on a device',
      async (phase) => {
        const [first, ...others] = here.testbeds;
        if (first === undefined) throw new Error('there is no testbed');
        const begun = Promise.all(others.map((testbed) => here.begin(testbed)));
        const ids = [await here.beginUntil(first, phase), ...(await begun)];
        await here.killServer();
        await here.startServer();
        for (const id of ids) {
          const { runs } = await expectWhole(here, id);
          for (const { status, failure } of runs) {
            if (status !== 'done') expect(failure).toMatchObject({ code: 'interrupted' });
          }
        }
        for (const name of here.names) await here.expectNothingLeft(name);
      },
    );
  });
}
