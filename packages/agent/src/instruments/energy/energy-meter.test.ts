import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { writeFileTree } from '../../testing/file-tree.ts';
import { makeTemporaryFolder } from '../../testing/temporary-folder.ts';
import { chooseEnergy } from './energy-meter.ts';
import { probeEnergy } from './energy-sources.ts';
import { clock, makeEnvironment, makePhase, startMeter } from './testing/meter-bench.ts';
import { pi4Tree, procStat } from './testing/pi-trees.ts';

/** A plug with the current response of `answer`. */
async function startPlug(answer: () => { status: number; body: string }): Promise<string> {
  const server = createServer((request, response) => {
    const { status, body } = request.url?.startsWith('/rpc/') ? answer() : { status: 404, body: '' };
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('not listening');
  return `http://127.0.0.1:${bound.port}`;
}

test('the model has its idle power, and estimates short phases from the activity of the process', async () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, { ...pi4Tree, stat: procStat(1_000, 9_000) });
  const { meter, capability } = await startMeter(root);
  expect(capability).toMatchObject({ id: 'model-raspberry-pi-4b', quality: 'modelled' });
  await meter.stop();
  // 10 ms of one connection, half of it busy, 1,250 bytes over Wi-Fi: 1 Mbit/s.
  const tls = makePhase('tls', { durationUs: 10_000, cpuUs: 5_000, bytesSent: 1_000, bytesReceived: 250 });
  const { phases, energy } = meter.findings([tls], clock);
  expect(energy).toMatchObject({ quality: 'modelled', baselineW: 2.7, measureJ: null });
  expect(phases[0]?.energyJ).toBeCloseTo((2.7 + 0.5 * 0.925 + 4.813e-3) * 0.01, 9);
});

test('a plug on the network is found by its address, and its invalid answers are reported', async () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, { ...pi4Tree, stat: procStat(1_000, 9_000) });
  let answer = { status: 200, body: '{"id":0,"apower":7.5}' };
  const url = await startPlug(() => answer);
  expect(await probeEnergy(makeEnvironment(root, url))).toMatchObject([
    { id: 'shelly-gen2', quality: 'measured', detail: expect.stringContaining(url) },
    { id: 'model-raspberry-pi-4b' },
  ]);
  answer = { status: 200, body: '{"id":0,"apower":"a lot"}' };
  expect(await probeEnergy(makeEnvironment(root, url))).toMatchObject([{ quality: 'modelled' }]);
});

test('a hanging source is not awaited', async () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, { ...pi4Tree, stat: procStat(1_000, 9_000) });
  const environment = {
    ...makeEnvironment(root, 'http://127.0.0.1:1'),
    fetch: () => new Promise<never>(() => {}),
  };
  expect(await probeEnergy(environment)).toMatchObject([{ quality: 'modelled' }]);
});

test('the source is the requested one, the best available one, or none', () => {
  const words = { label: '', detail: '' };
  const best = { id: 'rapl', quality: 'on-board' as const, ...words };
  const model = { id: 'model', quality: 'modelled' as const, ...words };
  expect(chooseEnergy([best, model], null)).toBe(best);
  expect(chooseEnergy([best, model], 'model')).toBe(model);
  expect(chooseEnergy([best, model], 'ina2xx')).toBeNull();
  expect(chooseEnergy([], null)).toBeNull();
});
