import type { AddDevice, Installation, SaveTestbed } from '@mqttlab/shared/messages/devices';
import type { ImportDevices } from '@mqttlab/shared/messages/inventory';
import { describe, expect, it } from 'vitest';
import { conflict } from '../base/errors.ts';
import { makeTestbedService } from '../devices/testbed-service.ts';
import { makeTestStores } from '../testing/stores-factory.ts';
import { makeImportService } from './import-service.ts';

const fingerprint = `SHA256:${'A'.repeat(43)}`;

function requestFor(names: readonly string[], testbed?: string): ImportDevices {
  return {
    ...(testbed === undefined ? {} : { testbed }),
    devices: names.map((name, index) => ({
      name,
      host: `192.0.2.${index + 1}`,
      port: 22,
      user: 'pi',
      fingerprint,
      login: { kind: 'password' as const, password: 'secret' },
      links: [
        { name: 'ethernet', interface: `eth${index}` },
        ...(index === 0 ? [{ name: 'lte', interface: 'wwan0' }] : []),
      ],
    })),
  };
}

/** Devices that install immediately, except those that fail or are refused. */
function makeRig({ fails = [], refuses = [] }: { fails?: string[]; refuses?: string[] } = {}) {
  const stores = makeTestStores();
  const added: AddDevice[] = [];
  const saved: SaveTestbed[] = [];
  const done = Promise.withResolvers<void>();
  const installation = (deviceId: string): Installation => ({
    deviceId,
    kind: 'install',
    startedAt: 1,
    finishedAt: 2,
    steps: [],
    failure: null,
    status: fails.includes(deviceId) ? 'failed' : 'done',
  });
  const testbeds = makeTestbedService({
    devices: stores.devices,
    sshDevices: stores.sshDevices,
    testbeds: stores.testbeds,
    isNeeded: () => false,
    onChange: () => undefined,
  });
  const service = makeImportService({
    testbeds: stores.testbeds,
    testbedService: {
      createTestbed(request) {
        saved.push(request);
        return testbeds.createTestbed(request);
      },
      changeTestbed: (id, request) => testbeds.changeTestbed(id, request),
    },
    remoteDevices: {
      async add(request) {
        added.push(request);
        const { name: deviceId, host, port, user } = request;
        if (refuses.includes(deviceId)) throw conflict('It is another machine.', 'Choose another name.');
        if (stores.devices.findDevice(deviceId) === null) {
          stores.devices.saveDevice({
            id: deviceId,
            name: deviceId,
            role: 'publisher',
            testbedId: '',
            tokenHash: deviceId,
          });
          stores.sshDevices.addSshDevice({ deviceId, host, port, user, hostKey: Buffer.from('key') });
        }
        return installation(deviceId);
      },
      installation,
      async settled(deviceId) {
        await done.promise;
        return installation(deviceId);
      },
    },
  });
  const whenOver = () => expect.poll(() => service.state().status).not.toBe('running');
  return { service, testbeds: stores.testbeds, added, saved, whenOver, letGo: done.resolve };
}

describe('an import of an inventory', () => {
  it('adds every device and creates a testbed with the links that all of them share', async () => {
    const rig = makeRig();
    rig.service.begin(requestFor(['pi-1', 'pi-2', 'pi-3'], 'Virtual lab'));
    expect(rig.service.state()).toMatchObject({ status: 'running', testbed: { status: 'waiting' } });
    expect(() => rig.service.begin(requestFor(['pi-4']))).toThrow('in progress');
    rig.letGo();
    await rig.whenOver();
    expect(rig.service.state()).toMatchObject({
      status: 'done',
      testbed: { status: 'made', detail: 'Links: ethernet.' },
    });
    expect(rig.added[0]).not.toHaveProperty('links');
    expect(rig.saved[0]).toMatchObject({
      devices: [
        { deviceId: 'pi-1', role: 'broker' },
        { deviceId: 'pi-2', role: 'publisher' },
        { deviceId: 'pi-3', role: 'subscriber' },
      ],
      links: [{ name: 'ethernet', interfaces: { 'pi-1': 'eth0', 'pi-2': 'eth1', 'pi-3': 'eth2' } }],
    });
  });

  it('creates the same testbed again if sent twice', async () => {
    const rig = makeRig();
    rig.letGo();
    const brokerPorts = { first: 18_830, last: 18_839 };
    for (const time of [1, 2]) {
      rig.service.begin(requestFor(['pi-1', 'pi-2', 'pi-3'], 'Virtual lab'));
      await rig.whenOver();
      expect(rig.service.state().testbed?.status).toBe('made');
      const made = rig.testbeds.findTestbedRecord('virtual-lab')!;
      if (time === 1) rig.testbeds.saveTestbed({ ...made, brokerPorts });
    }
    expect(rig.saved).toHaveLength(1);
    // An inventory does not state them.
    expect(rig.testbeds.findTestbedRecord('virtual-lab')?.brokerPorts).toEqual(brokerPorts);
  });

  it.each([
    ['failed', { fails: ['pi-2'] }],
    ['was refused', { refuses: ['pi-2'] }],
  ])('continues with the others when one %s, and creates no testbed', async (_, trouble) => {
    const rig = makeRig(trouble);
    rig.letGo();
    rig.service.begin(requestFor(['pi-1', 'pi-2', 'pi-3'], 'Virtual lab'));
    await rig.whenOver();
    expect(rig.added).toHaveLength(3);
    expect(rig.service.state()).toMatchObject({ status: 'failed', testbed: { status: 'failed' } });
    expect(rig.saved).toEqual([]);
    if ('refuses' in trouble) {
      expect(rig.service.state().devices[1]?.refusal).toBe('It is another machine. Choose another name.');
    }
  });

  it('that fails because of the server ends with the reason, and another one can start', async () => {
    const rig = makeRig();
    rig.letGo();
    const request = requestFor(['pi-1', 'pi-2', 'pi-3'], 'Virtual lab');
    // Invalid input that the API rejects, as an example of any fault.
    rig.service.begin({
      ...request,
      devices: request.devices.map((device) => ({ ...device, links: [null] as never })),
    });
    await rig.whenOver();
    expect(rig.service.state()).toMatchObject({ status: 'failed', testbed: { status: 'failed' } });
    expect(rig.service.state().testbed?.detail).toMatch(/links|null/);
    rig.service.begin(requestFor(['pi-1', 'pi-2', 'pi-3'], 'Virtual lab'));
    await rig.whenOver();
    expect(rig.service.state().status).toBe('done');
  });

  it('of two devices creates no testbed and reports why', async () => {
    const rig = makeRig();
    rig.letGo();
    rig.service.begin(requestFor(['pi-1', 'pi-2'], 'Pair'));
    await rig.whenOver();
    expect(rig.service.state().testbed?.detail).toContain('needs 3 devices');
  });

  it('is not found before the first', () => {
    expect(() => makeRig().service.state()).toThrow('no import');
  });
});
