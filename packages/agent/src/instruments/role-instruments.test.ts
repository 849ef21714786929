import { expect, test } from 'vitest';
import { makeEmptyResult } from '../roles/role.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { mergeParts } from './instrument.ts';
import { instruments, makeSamplers } from './role-instruments.ts';
import { makeMeasuredRole } from './testing/measured-role.ts';

test('parts join their lists and add facts and histograms; anything else is replaced', () => {
  const series = (metric: string) => ({ metric, unit: '%', timesMs: [0], values: [1] });
  const doubt = (collector: string) => ({ collector, reason: 'broken' });
  const perf = { cycles: 1, instructions: 2, cacheReferences: null, cacheMisses: null };
  const merged = mergeParts(
    makeEmptyResult('broker'),
    { series: [series('a')], environment: { a: 1, b: 1 }, degraded: [doubt('a')] },
    { perf, files: [{ name: 'keys.log', bytes: 1 }] },
    { series: [series('b')], environment: { b: 2 }, degraded: [doubt('b')], perf: null },
    { files: [{ name: 'capture.pcap', bytes: 2 }] },
  );
  expect(merged).toEqual({
    ...makeEmptyResult('broker'),
    series: [series('a'), series('b')],
    environment: { a: 1, b: 2 },
    degraded: [doubt('a'), doubt('b')],
    perf: null,
    files: [
      { name: 'keys.log', bytes: 1 },
      { name: 'capture.pcap', bytes: 2 },
    ],
  });
  expect(mergeParts(makeEmptyResult('broker'))).toEqual(makeEmptyResult('broker'));
});

test('series have one order, whatever instruments a device has', async () => {
  const role = makeMeasuredRole(makeTemporaryFolder());
  const found = instruments.flatMap((make) => make(role) ?? []);
  const pids = [process.pid];
  const { clock } = role.device;
  const samplers = makeSamplers(
    found,
    { pids, helpers: pids },
    { clock, sampleHz: 10, startAtUs: 0, measureAtUs: 0 },
  );
  for (const sampler of samplers) sampler.stop();
  const metrics = samplers.flatMap((sampler) => sampler.results().series.map(({ metric }) => metric));
  const ofEveryMachine = /^(cpu\.(process|helpers|device|agent)|memory|network)/;
  expect(metrics.filter((metric) => ofEveryMachine.test(metric))).toEqual([
    'cpu.process',
    'memory.resident',
    'cpu.helpers',
    'cpu.device',
    'cpu.agent',
    'network.rx',
    'network.tx',
    'memory.proportional',
  ]);
});
