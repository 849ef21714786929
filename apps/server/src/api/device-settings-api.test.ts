import { makeTestbed } from '@mqttlab/shared/testing/factories';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiRig } from './testing/api-rig.ts';

type Rig = Awaited<ReturnType<typeof startApiRig>>;

const nothing = { energySource: null, meterUrl: null, supplyVolts: null, batteryMah: null };

describe('the settings of a device', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startApiRig();
    rig.devices.saveDevice({
      id: 'pi-1',
      name: 'pi-1',
      role: 'publisher',
      testbedId: 'local',
      tokenHash: 'x',
    });
  });
  afterAll(() => rig.stop());

  const path = '/devices/pi-1/settings';
  const put = (body: unknown) => rig.api(path, { method: 'PUT', body });

  it('are empty at first and stored, and the agent reconnects to receive them', async () => {
    expect((await rig.api(path)).body).toEqual(nothing);
    const request = { energySource: 'ina2xx', meterUrl: null, supplyVolts: 5.1, batteryMah: 10_000 };
    expect(await put(request)).toMatchObject({ status: 200, body: request });
    expect((await rig.api(path)).body).toEqual(request);
    expect(rig.redialled).toEqual(['pi-1']);
    expect((await put({})).body).toEqual(nothing);
  });

  it.each([
    ['meterUrl', 'plug'],
    ['meterUrl', 'ftp://192.0.2.1'],
    ['meterUrl', 'http://me:secret@192.0.2.1'],
    ['meterUrl', 'mqtt://192.0.2.1'],
    ['meterUrl', 'http://169.254.169.254'],
    ['meterUrl', 'http://2852039166'],
    ['meterUrl', 'mqtt://2852039166/plug'],
    ['meterUrl', 'http://[fe80::1]'],
    ['meterUrl', 'http://0.0.0.0'],
    ['supplyVolts', 0],
    ['supplyVolts', -5],
    ['supplyVolts', '5'],
    ['batteryMah', 0],
    ['batteryMah', 1e9],
    ['energySource', '$(reboot)'],
    ['colour', 'red'],
  ])('refuse %s = %j, naming the field', async (field, value) => {
    const before = rig.redialled.length;
    const answer = await put({ [field]: value });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain(field);
    expect(rig.redialled).toHaveLength(before);
  });

  it('of an unknown device are not found', async () => {
    expect((await rig.api('/devices/unknown/settings')).status).toBe(404);
    expect((await rig.api('/devices/unknown/settings', { method: 'PUT', body: {} })).status).toBe(404);
  });

  it('wait for the end of a run', async () => {
    const busy = { ...makeTestbed(), busyWith: 7 };
    rig.services.devices.testbeds.findTestbed = () => busy;
    const answer = await put({ supplyVolts: 5 });
    expect(answer.status).toBe(409);
    expect((await rig.api(path)).body).toEqual(nothing);
  });
});
