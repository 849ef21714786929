import { expect, test } from 'vitest';
import { carryOutRun, startLab } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';

test('phases last as long as planned, series have a value each tenth of a second, progress is sent each second', async () => {
  const lab = await startLab();
  const spec = makeTestSpec({ measureMs: 2_300 });
  const { results } = await carryOutRun(lab, { runId: 1, spec, tls: null });
  const measure = results.broker.phases.find(({ phase }) => phase === 'measure');
  expect(measure?.durationUs).toBeGreaterThan(2_200_000);
  expect(measure?.durationUs).toBeLessThan(2_500_000);
  for (const { environment, series } of Object.values(results)) {
    const { timesMs = [] } = series.find(({ metric }) => metric === 'cpu.process') ?? {};
    const inTime = timesMs.filter((time) => time > 50 && time < 2_360).length;
    expect(inTime + Number(environment['sampler.missed'])).toBeGreaterThanOrEqual(22);
  }
  for (const [role, { server }] of Object.entries(lab)) {
    expect(server.all('progress').length, role).toBeGreaterThanOrEqual(2);
  }
});
