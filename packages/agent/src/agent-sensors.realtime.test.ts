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
  const { energy, phases } = results.publisher;
  expect(energy).toMatchObject({ source: 'shelly-gen1', quality: 'measured' });
  // A plug samples once a second: enough for the measure phase, not for the milliseconds of a connection.
  expect(phases.find(({ phase }) => phase === 'connect')?.energyJ).toBeNull();
  const { measureJ } = energy ?? {};
  expect(measureJ).toBeGreaterThan(0.8 * watts * 2.5);
  expect(measureJ).toBeLessThan(1.1 * watts * 2.5);
});
