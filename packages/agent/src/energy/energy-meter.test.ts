import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { PhaseRecord } from '@mqttlab/shared/domain/runs/role-result';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../pacing/clock.ts';
import { writeFileTree } from '../testing/file-tree.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { chooseEnergy, EnergyMeter } from './energy-meter.ts';
import { makeEnergyEnvironment, probeEnergy } from './energy-sources.ts';
import { ina226Tree, pi4Tree, procStat } from './testing/pi-trees.ts';

const clock = { offsetUs: 1_000_000, measureAtUs: null };

function makeEnvironment(root: string, meterUrl: string | null = null) {
  const given = { clock: systemClock, sysRoot: root, procRoot: root, meterUrl, interfaceNames: ['wlan0'] };
  return makeEnergyEnvironment(given);
}

function makePhase(phase: PhaseRecord['phase'], change: Partial<PhaseRecord>): PhaseRecord {
  const nothing = { cpuUs: 0, energyJ: null, bytesSent: 0, bytesReceived: 0, connections: 1 };
  return { phase, startUs: 0, durationUs: 0, ...nothing, ...change };
}

/** A measure phase around `work`, by the testbed clock. */
async function during(work: () => Promise<unknown>): Promise<PhaseRecord> {
  const startUs = systemClock.nowUs() + clock.offsetUs;
  await work();
  return makePhase('measure', { startUs, durationUs: systemClock.nowUs() + clock.offsetUs - startUs });
}

async function startMeter(root: string, meterUrl: string | null = null) {
  const environment = makeEnvironment(root, meterUrl);
  const capability = chooseEnergy(await probeEnergy(environment), null);
  if (capability === null) throw new Error('there is no source');
  const meter = new EnergyMeter({
    environment,
    capability,
    supplyVolts: 5.1,
    batteryMah: 5000,
    medium: 'wifi',
  });
  onTestFinished(() => meter.stop());
  await meter.start();
  return { meter, capability };
}

/** A plug that answers what `answer` says by then. */
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

test('a sensor is measured idle first, and then gives energy to phases that are long enough', async () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, { ...pi4Tree, ...ina226Tree, stat: procStat(1_000, 9_000) });
  const { meter, capability } = await startMeter(root);
  expect(capability).toMatchObject({ id: 'ina2xx', quality: 'measured' });
  writeFileTree(root, { 'class/hwmon/hwmon4/power1_input': '6250000\n' });
  await wait(150);
  const measure = await during(() => wait(600));
  await wait(150);
  await meter.stop();
  const short = makePhase('tcp', { startUs: measure.startUs, durationUs: 300 });
  const { phases, energy, series, degraded } = meter.findings([short, measure], {
    ...clock,
    measureAtUs: measure.startUs,
  });
  expect(degraded).toEqual([]);
  expect(energy).toMatchObject({ source: 'ina2xx', quality: 'measured', voltageV: 5.1, batteryMah: 5000 });
  expect(energy?.baselineW).toBeCloseTo(3.125, 6);
  const { fromMs, toMs } = energy?.baselineWindow ?? { fromMs: 0, toMs: 0 };
  expect(toMs).toBeLessThan(0);
  expect(toMs - fromMs).toBeGreaterThan(300);
  expect(energy?.measureJ).toBeCloseTo(6.25 * (measure.durationUs / 1e6), 3);
  expect(phases.map(({ energyJ }) => energyJ)).toEqual([null, energy?.measureJ]);
  expect(series[0]).toMatchObject({ metric: 'energy.power', unit: 'W' });
  expect(series[0]?.values).toContain(6.25);
});

test('the model knows its idle power, and estimates what is too short to sample from the process itself', async () => {
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

test('a sensor that vanishes in mid-run degrades it with the reason and gives no number', async () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, { ...pi4Tree, ...ina226Tree, stat: procStat(1_000, 9_000) });
  const { meter } = await startMeter(root);
  const measure = await during(async () => {
    writeFileTree(root, { 'class/hwmon/hwmon4/power1_input': '' });
    writeFileTree(root, { 'class/hwmon/hwmon4/curr1_input': 'OL\n' });
    await wait(400);
  });
  await meter.stop();
  const { energy, degraded } = meter.findings([measure], clock);
  expect(energy?.measureJ).toBeNull();
  expect(energy?.baselineW).toBeCloseTo(3.125, 6);
  expect(degraded).toEqual([
    { collector: 'energy', reason: expect.stringContaining('curr1_input says "OL"') },
  ]);
});

test('a plug on the network is found by its address; nonsense from it has a name', async () => {
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

test('a source that hangs is not waited for', async () => {
  const root = makeTemporaryFolder();
  writeFileTree(root, { ...pi4Tree, stat: procStat(1_000, 9_000) });
  const environment = {
    ...makeEnvironment(root, 'http://127.0.0.1:1'),
    fetch: () => new Promise<never>(() => {}),
  };
  const begunAt = Date.now();
  expect(await probeEnergy(environment)).toMatchObject([{ quality: 'modelled' }]);
  expect(Date.now() - begunAt).toBeLessThan(20_000);
});

test('the source is the one asked for, the best there is, or none', () => {
  const words = { label: '', detail: '' };
  const best = { id: 'rapl', quality: 'on-board' as const, ...words };
  const model = { id: 'model', quality: 'modelled' as const, ...words };
  expect(chooseEnergy([best, model], null)).toBe(best);
  expect(chooseEnergy([best, model], 'model')).toBe(model);
  expect(chooseEnergy([best, model], 'ina2xx')).toBeNull();
  expect(chooseEnergy([], null)).toBeNull();
});
