import { expect, test } from 'vitest';
import { carryOutRun, startLab, startLabDevice } from './testing/lab.ts';
import { startPlug } from './testing/plug.ts';
import { makeTestSpec } from './testing/specs.ts';

test('the energy of the measure phase is the power of the plug for its duration', async () => {
  const watts = 6.5;
  const publisher = await startLabDevice({ meterUrl: await startPlug(watts) });
  const lab = { ...(await startLab()), publisher };
  const { results } = await carryOutRun(lab, {
    runId: 1,
    spec: makeTestSpec({ measureMs: 2_500 }),
    tls: null,
  });
  const { measureJ } = results.publisher.energy ?? {};
  expect(measureJ).toBeGreaterThan(0.8 * watts * 2.5);
  expect(measureJ).toBeLessThan(1.1 * watts * 2.5);
});
