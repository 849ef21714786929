import type { Issue } from '@mqttlab/shared/domain/issue';
import type { SaveTestbed } from '@mqttlab/shared/messages/devices';
import { conflict, notFound, unprocessable } from '../base/errors.ts';
import type { DeviceStore, SshDeviceStore } from '../store/settings/device-store.ts';
import type { TestbedStore } from '../store/settings/testbed-store.ts';
import { toDeviceId } from './agent-tokens.ts';

interface TestbedServiceOptions {
  testbeds: TestbedStore;
  devices: Pick<DeviceStore, 'findDevice'>;
  sshDevices: Pick<SshDeviceStore, 'findSshDevice'>;
  /** Returns true if a run, a check or a waiting experiment needs the testbed. */
  isNeeded: (testbedId: string) => boolean;
  /** Called when these devices have new roles. */
  onChange: (testbedId: string, deviceIds: readonly string[]) => void;
}

export type TestbedService = ReturnType<typeof makeTestbedService>;

/** Defines testbeds of added devices. Throws ProblemError. */
export function makeTestbedService(options: TestbedServiceOptions) {
  const { testbeds } = options;

  const requireFree = (testbedId: string): string[] => {
    const found = testbeds.findTestbedRecord(testbedId);
    if (found === null) throw notFound('testbed of added devices', testbedId);
    if (options.isNeeded(testbedId)) {
      throw conflict(`${found.name} is in use.`, 'Wait until its experiments have ended, or cancel them.');
    }
    return found.devices.map(({ deviceId }) => deviceId);
  };

  const save = (testbedId: string, definition: SaveTestbed, before: readonly string[]): void => {
    const issues = [
      ...deviceIssues(options, testbedId, definition),
      ...poolIssues(options, testbedId, definition),
      ...linkIssues(options, definition),
    ];
    if (issues.length > 0) throw unprocessable('This testbed is not valid.', issues);
    testbeds.saveTestbed({ testbedId, ...definition });
    const members = testbeds.findTestbedRecord(testbedId)?.devices ?? [];
    options.onChange(testbedId, [...before, ...members.map(({ deviceId }) => deviceId)]);
  };

  return {
    /** Returns its id. */
    createTestbed(definition: SaveTestbed): string {
      const testbedId = toDeviceId(definition.name);
      if (testbedId === 'local' || testbeds.findTestbedRecord(testbedId)) {
        throw conflict(`There is a testbed ${testbedId} already.`, 'Choose another name.');
      }
      save(testbedId, definition, []);
      return testbedId;
    },
    changeTestbed: (testbedId: string, definition: SaveTestbed): void =>
      save(testbedId, definition, requireFree(testbedId)),
    deleteTestbed(testbedId: string): void {
      const before = requireFree(testbedId);
      testbeds.removeTestbed(testbedId);
      options.onChange(testbedId, before);
    },
  };
}

function deviceIssues(
  { devices, sshDevices, testbeds }: TestbedServiceOptions,
  testbedId: string,
  definition: SaveTestbed,
): Issue[] {
  return definition.devices.flatMap(({ deviceId }, index) => {
    const field = `devices[${index}].deviceId`;
    const device = devices.findDevice(deviceId);
    if (device === null || sshDevices.findSshDevice(deviceId) === null) {
      return [{ field, reason: `the device ${deviceId} has not been added`, remedy: 'Add it first.' }];
    }
    const other = device.testbedId === testbedId ? null : testbeds.findTestbedRecord(device.testbedId);
    if (other === null) return [];
    return [{ field, reason: `it belongs to ${other.name}`, remedy: 'Remove it from that testbed first.' }];
  });
}

function poolIssues(
  { testbeds }: TestbedServiceOptions,
  testbedId: string,
  definition: SaveTestbed,
): Issue[] {
  const others = testbeds.listTestbedRecords().filter((testbed) => testbed.testbedId !== testbedId);
  return definition.pools.flatMap(({ pool }, index) => {
    const owner = others.find(({ pools }) => pools.some((entry) => entry.pool === pool));
    if (!owner) return [];
    const remedy = 'Remove it from that testbed first.';
    return [{ field: `pools[${index}].pool`, reason: `it belongs to ${owner.name}`, remedy }];
  });
}

/** Returns issues with links. The pre-flight checks properties that a device has not announced yet. */
function linkIssues(
  { devices }: TestbedServiceOptions,
  { links, devices: wanted, pools }: SaveTestbed,
): Issue[] {
  const names = links.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  const doubles =
    twice < 0
      ? []
      : [{ field: `links[${twice}].name`, reason: 'the name is used twice', remedy: 'Choose another name.' }];
  const gaps = links.flatMap(({ interfaces }, index) =>
    wanted.flatMap(({ deviceId }) => {
      const field = `links[${index}].interfaces.${deviceId}`;
      const own = interfaces[deviceId];
      const known = devices.findDevice(deviceId)?.capabilities?.interfaces.map(({ name }) => name) ?? null;
      const remedy = `Choose one of ${known?.join(', ') ?? 'its interfaces'}.`;
      if (own === undefined) return [{ field, reason: 'no interface was chosen', remedy }];
      if (known === null || known.includes(own)) return [];
      return [{ field, reason: `${deviceId} has no interface ${own}`, remedy }];
    }),
  );
  const ofPools = links.flatMap(({ interfaces }, index) =>
    pools
      .filter(({ pool }) => interfaces[pool] === undefined)
      .map(({ pool }) => ({
        field: `links[${index}].interfaces.${pool}`,
        reason: 'no interface was chosen',
        remedy: 'Enter the interface that the devices of the pool use, for example eth0.',
      })),
  );
  return [...doubles, ...gaps, ...ofPools];
}
