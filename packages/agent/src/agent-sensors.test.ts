import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ina226Tree, pi4Tree, pi5Tree } from './instruments/energy/testing/pi-trees.ts';
import { writeFileTree } from './testing/file-tree.ts';
import { carryOutRun, prepareBroker, prepareClient, startLab, startLabDevice } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

/** /sys of another board, with the network of this machine. */
function makeSysRoot(tree: Readonly<Record<string, string>>): string {
  const root = makeTemporaryFolder();
  const files = Object.entries(tree).filter(([path]) => !path.startsWith('class/net'));
  writeFileTree(root, Object.fromEntries(files));
  symlinkSync('/sys/class/net', join(root, 'class/net'));
  return root;
}

test('a run on boards with sensors has temperature, frequency, throttling and measured energy', async () => {
  const lab = {
    ...(await startLab()),
    broker: await startLabDevice({ sysRoot: makeSysRoot({ ...pi4Tree, ...ina226Tree }) }),
    publisher: await startLabDevice({ sysRoot: makeSysRoot(pi5Tree) }),
  };
  const spec = makeTestSpec({ measureMs: 2_500 });
  const { results } = await carryOutRun(lab, { runId: 1, spec, tls: null });
  const { broker, publisher, subscriber } = results;
  for (const { degraded } of [broker, publisher, subscriber]) expect(degraded).toEqual([]);
  expect(broker.energy).toMatchObject({ source: 'ina2xx', quality: 'measured' });
  expect(broker.energy?.baselineW).toBeCloseTo(3.125, 6);
  const measured = broker.phases.find(({ phase }) => phase === 'measure');
  expect(measured?.energyJ).toBeCloseTo(3.125 * ((measured?.durationUs ?? 0) / 1e6), 4);
  expect(subscriber.energy).toMatchObject({ quality: 'modelled', baselineW: 2.7 });
  expect(subscriber.phases.find(({ phase }) => phase === 'connect')?.energyJ).toBeGreaterThan(0);
  const valuesOf = (result: typeof broker, metric: string) =>
    result.series.find((series) => series.metric === metric)?.values ?? [];
  expect(valuesOf(broker, 'temperature.cpu')).toContain(48.692);
  expect(valuesOf(publisher, 'frequency.policy0')).toContain(2_400);
  expect(valuesOf(subscriber, 'energy.power').length).toBeGreaterThan(5);
  expect(publisher.environment).toMatchObject({
    'cpu.governor': 'ondemand',
    'throttling.source': expect.stringContaining('firmware'),
    'throttling.events': 0,
    'memory.peakBytes': expect.any(Number),
    'memory.proportionalBytes': expect.any(Number),
    'network.lo.rxBytes': expect.any(Number),
  });
});

/** Puts a program "perf" first in PATH that prints what perf 6.1 prints after the commands to count and to stop. */
function installPerf(): void {
  const folder = makeTemporaryFolder();
  const program = `#!${process.execPath}
const counts = '12345,,cycles,1,100.00,,\\n6789:u'.replace(':u', ',,instructions:u,1,100.00,,') +
  '\\n250,,cache-references,1,100.00,,\\n<not counted>,,cache-misses,0,0.00,,\\n';
if (process.argv.at(-1) === 'true') { console.log(counts); process.exit(0); }
let received = '';
require('fs').createReadStream(null, { fd: 3 }).on('data', (chunk) => { received += chunk; });
process.on('SIGINT', () => { if (received === 'enable\\ndisable\\n') console.log(counts); process.exit(0); });
`;
  writeFileSync(join(folder, 'perf'), program, { mode: 0o755 });
  const path = process.env.PATH;
  process.env.PATH = `${folder}:${path}`;
  onTestFinished(() => {
    process.env.PATH = path;
  });
}

test('if the processor has counters, the result includes those of the measure phase', async () => {
  installPerf();
  const lab = { ...(await startLab()), broker: await startLabDevice({ sysRoot: makeSysRoot(pi4Tree) }) };
  const { results } = await carryOutRun(lab, { runId: 1, spec: makeTestSpec(), tls: null });
  expect(results.broker.degraded).toEqual([]);
  expect(results.broker.perf).toEqual({
    cycles: 12_345,
    instructions: 6_789,
    cacheReferences: 250,
    cacheMisses: null,
  });
});

test('a missing energy source ends the run and is named', async () => {
  const { server } = await startLabDevice();
  const run = { runId: 1, spec: makeTestSpec(), tls: null };
  for (const command of [prepareBroker(run), prepareClient(run, 'publisher', 1)]) {
    const outcome = await server.command(1, { ...command, energySource: 'crystal-ball' } as typeof command);
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'no-energy-source', message: expect.stringContaining('crystal-ball') },
    });
    await server.command(1, { kind: 'abort', reason: 'enough' });
  }
});
