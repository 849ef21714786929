import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../load/pacing/clock.ts';
import { startTestBroker } from '../../../load/testing/test-broker.ts';
import { makeEnergyEnvironment } from '../energy-sources.ts';
import { mqttPlug, parsePlugMessage } from './smart-plugs.ts';

test.each([
  ['23.7', 23.7],
  ['{"id":0,"source":"init","output":true,"apower":7.5,"voltage":230.1}', 7.5],
  ['{"Time":"2026-01-01T00:00:00","ENERGY":{"Total":3.1,"Power":42}}', 42],
  ['{"ENERGY":{"Power":[1,2.5]}}', 3.5],
])('a plug says %s', (text, watts) => {
  expect(parsePlugMessage(text)).toBe(watts);
});

test.each(['', 'on', '-3', '{"apower":"a lot"}', '[1]', 'NaN'])('"%s" is not a power', (text) => {
  expect(parsePlugMessage(text)).toMatchObject({ code: 'nonsense' });
});

const topic = 'shellies/plug/relay/0/power';

function makeSource(meterUrl: string) {
  return mqttPlug.make(
    makeEnergyEnvironment({
      clock: systemClock,
      procRoot: '/proc',
      sysRoot: '/sys',
      meterUrl,
      interfaceNames: [],
    }),
  );
}

type Source = ReturnType<typeof makeSource>;

/** Returns the first matching sample. */
async function sampleOf(source: Source, fits: (sample: Awaited<ReturnType<Source['sample']>>) => boolean) {
  return vi.waitUntil(
    async () => {
      const sample = await source.sample();
      return fits(sample) && sample;
    },
    { timeout: 240_000, interval: 20 },
  );
}

test('power published on a topic of a real broker; invalid values are reported', async () => {
  const broker = await startTestBroker();
  onTestFinished(() => broker.stop());
  const { port } = broker;
  const publish = (text: string) =>
    execFileSync('mosquitto_pub', ['-h', '127.0.0.1', '-p', String(port), '-t', topic, '-r', '-m', text]);
  const source = makeSource(`mqtt://127.0.0.1:${port}/${topic}`);
  expect(await source.probe()).toMatchObject({ available: false, problem: { code: 'unreachable' } });
  publish('12.5');
  expect(await source.probe()).toEqual({ available: true, detail: `${topic} at 127.0.0.1:${port}` });
  await source.start();
  expect(await sampleOf(source, ({ powerW }) => powerW === 12.5)).toMatchObject({ problem: null });
  publish('99999');
  expect(await sampleOf(source, ({ problem }) => problem?.code === 'nonsense')).toMatchObject({
    powerW: null,
  });
  await source.stop();
});

test('a broker that did not answer the previous probe has no effect on the next one', async () => {
  const broker = await startTestBroker();
  onTestFinished(() => broker.stop());
  let isSilent = true;
  const proxy = createServer((socket) => {
    socket.on('error', () => {});
    if (isSilent) return;
    const onward = connect(broker.port, '127.0.0.1').on('error', () => socket.destroy());
    socket.pipe(onward).pipe(socket);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void proxy.close());
  await once(proxy, 'listening');
  const args = ['-h', '127.0.0.1', '-p', String(broker.port), '-t', topic, '-r', '-m', '3'];
  execFileSync('mosquitto_pub', args);
  const source = makeSource(`mqtt://127.0.0.1:${(proxy.address() as AddressInfo).port}/${topic}`);
  expect(await source.probe()).toMatchObject({ problem: { message: `nothing was published on ${topic}` } });
  isSilent = false;
  expect(await source.probe()).toMatchObject({ available: true });
});

test('a plug whose broker disconnects no longer has a power', async () => {
  const broker = await startTestBroker();
  onTestFinished(() => broker.stop());
  const source = makeSource(`mqtt://127.0.0.1:${broker.port}/${topic}`);
  onTestFinished(() => source.stop());
  await source.start();
  const args = ['-h', '127.0.0.1', '-p', String(broker.port), '-t', topic, '-r', '-m', '7'];
  execFileSync('mosquitto_pub', args);
  await sampleOf(source, ({ powerW }) => powerW === 7);
  await broker.stop();
  expect(await sampleOf(source, ({ problem }) => problem?.code === 'vanished')).toMatchObject({
    powerW: null,
  });
});

test('an unreachable broker and an address without a topic are reported with a reason', async () => {
  expect(await makeSource('mqtt://127.0.0.1:1/power').probe()).toMatchObject({ available: false });
  for (const address of ['mqtt://127.0.0.1', 'http://127.0.0.1/power', 'mqtt://127.0.0.1/%zz']) {
    expect(await makeSource(address).probe()).toMatchObject({ problem: { code: 'not-found' } });
  }
});

test.each(['mqtt://169.254.169.254/plug', 'mqtt://2852039166/plug'])(
  'a broker of a plug at %s is not contacted',
  async (url) => {
    const found = await makeSource(url).probe();
    expect(found).toMatchObject({ available: false });
    expect(JSON.stringify(found)).toMatch(/link-local or metadata address/);
  },
);
