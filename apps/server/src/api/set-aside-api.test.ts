import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiRig } from './testing/api-rig.ts';

describe('results that this server refused', () => {
  let rig: Awaited<ReturnType<typeof startApiRig>>;
  beforeAll(async () => {
    rig = await startApiRig();
    rig.devices.saveDevice({ id: 'pi-1', name: 'pi-1', role: 'broker', testbedId: 'local', tokenHash: 'x' });
  });
  afterAll(() => rig.stop());

  it('are listed with their device and saved from it', async () => {
    const name = '7-broker-1700000000000';
    const result = {
      name,
      key: '7-broker',
      reason: 'this server never started run 7',
      refusedAt: 1,
      bytes: 9,
    };
    rig.setAside.set('pi-1', [result]);
    rig.texts.set(name, '{"runId":7}');
    const { items } = (await rig.api('/devices')).body as { items: { id: string; setAside: unknown[] }[] };
    expect(items.find(({ id }) => id === 'pi-1')?.setAside).toEqual([result]);
    const file = await rig.api(`/devices/pi-1/set-aside/${name}`);
    expect(file).toMatchObject({ status: 200, body: { runId: 7 } });
    expect(file.headers.get('content-disposition')).toContain(`${name}.json`);
    expect((await rig.api('/devices/pi-1/set-aside/other')).status).toBe(404);
    expect((await rig.api('/devices/pi-1/set-aside/..%2Fother')).status).toBe(404);
    expect((await rig.api(`/devices/nobody/set-aside/${name}`)).status).toBe(404);
    rig.texts.clear();
    const gone = await rig.api(`/devices/pi-1/set-aside/${name}`);
    expect(gone.status).toBe(409);
    expect(gone.text).toContain('offline');
  });
});
