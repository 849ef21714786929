import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { noDeviceSettings } from '@mqttlab/shared/messages/device-settings';
import { expect, onTestFinished, test } from 'vitest';
import { probeSensors } from './sensors.ts';

/** A Shelly of the second generation, with a counter of requests. */
async function startPlug() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url?.startsWith('/rpc/')) response.end(JSON.stringify({ apower: 3.4 }));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, meterUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test('a plug configured on the server is detected, until its setting is removed', async () => {
  const { asked, meterUrl } = await startPlug();
  const roots = { procRoot: '/proc', sysRoot: '/nonexistent' };
  const sensors = await probeSensors({ ...roots, meterUrl: null, supplyVolts: 12 });
  const ids = () => sensors.power.found.map(({ id }) => id);
  const before = ids();
  expect(before).not.toContain('shelly-gen2');
  const settings = { ...noDeviceSettings, meterUrl, supplyVolts: 5.1, energySource: 'shelly-gen2' };
  await sensors.follow({ ...settings, batteryMah: 8000 });
  expect(ids()).toContain('shelly-gen2');
  expect(sensors.power).toMatchObject({ meterUrl, supplyVolts: 5.1, batteryMah: 8000 });
  const times = asked.length;
  await sensors.follow({ ...settings, batteryMah: 8000 });
  expect(asked).toHaveLength(times);
  await sensors.follow(noDeviceSettings);
  expect(ids()).toEqual(before);
  expect(sensors.power).toMatchObject({ meterUrl: null, supplyVolts: 12, energySource: null });
});
