import type { TestbedLink } from '@mqttlab/shared/domain/devices/capabilities';
import type { SaveTestbed } from '@mqttlab/shared/messages/devices';
import { type ImportDevices, type ImportState, roleInInventory } from '@mqttlab/shared/messages/inventory';
import { conflict, notFound, ProblemError } from '../base/errors.ts';
import { toDeviceId } from '../devices/agent-tokens.ts';
import type { TestbedService } from '../devices/testbed-service.ts';
import type { TestbedStore } from '../store/settings/testbed-store.ts';
import type { RemoteDevices } from './remote-devices.ts';

interface ImportServiceOptions {
  remoteDevices: Pick<RemoteDevices, 'add' | 'installation' | 'settled'>;
  testbedService: Pick<TestbedService, 'createTestbed' | 'changeTestbed'>;
  testbeds: Pick<TestbedStore, 'findTestbedRecord'>;
}

/** Maximum number of parallel installations, because they share one server's disk and network. */
const maxAtOnce = 4;
/** Minimum number of devices: one for each role. */
const minDevices = 3;

type Wanted = ImportDevices['devices'][number];

export type ImportService = ReturnType<typeof makeImportService>;

/** Adds all devices of an inventory, then creates a testbed with them. */
export function makeImportService(options: ImportServiceOptions) {
  let state: ImportState | null = null;

  const show = (): ImportState => {
    if (state === null) throw notFound('import', 'of devices');
    const devices = state.devices.map((device) => ({ ...device, installation: stepsOf(device, options) }));
    return { ...state, devices };
  };
  const changeDevice = (index: number, fields: Partial<ImportState['devices'][number]>): void => {
    if (state === null) return;
    const devices = state.devices.map((device, at) => (at === index ? { ...device, ...fields } : device));
    state = { ...state, devices };
  };

  const addOne = async ({ links: _, ...device }: Wanted, index: number): Promise<boolean> => {
    try {
      const { deviceId } = await options.remoteDevices.add(device);
      changeDevice(index, { deviceId });
      return (await options.remoteDevices.settled(deviceId)).status === 'done';
    } catch (error) {
      changeDevice(index, { refusal: wordsOf(error) });
      return false;
    }
  };

  const work = async (inventory: ImportDevices): Promise<void> => {
    const queue = [...inventory.devices.entries()];
    const outcomes: boolean[] = [];
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [index, device] = next;
        outcomes[index] = await addOne(device, index);
      }
    };
    await Promise.all(Array.from({ length: maxAtOnce }, worker));
    const allThere = outcomes.every(Boolean);
    const testbed = inventory.testbed === undefined ? null : makeTestbed(options, inventory, allThere);
    if (state === null) return;
    const failed = !allThere || testbed?.status === 'failed';
    state = { ...state, testbed, status: failed ? 'failed' : 'done' };
  };

  /** A server error ends the import with the reason, so that another import can start. */
  const fail = (error: unknown): void => {
    if (state === null) return;
    const testbed = state.testbed && { ...state.testbed, status: 'failed' as const, detail: wordsOf(error) };
    state = { ...state, testbed, status: 'failed' };
  };

  return {
    /** Starts an import. Throws a 409 problem while another import is in progress. */
    begin(inventory: ImportDevices): ImportState {
      if (state?.status === 'running') {
        throw conflict('An import is in progress.', 'Wait until it has ended.');
      }
      state = {
        status: 'running',
        devices: inventory.devices.map(({ name }) => ({
          deviceId: '',
          name,
          installation: null,
          refusal: null,
        })),
        testbed:
          inventory.testbed === undefined ? null : { name: inventory.testbed, status: 'waiting', detail: '' },
      };
      work(inventory).catch(fail);
      return show();
    },
    /** Returns the last import. Throws a 404 problem before the first import. */
    state: show,
  };
}

/** Returns the steps of a device; null if the device was removed in the meantime. */
function stepsOf(
  { deviceId }: ImportState['devices'][number],
  { remoteDevices }: ImportServiceOptions,
): ImportState['devices'][number]['installation'] {
  if (deviceId === '') return null;
  try {
    return remoteDevices.installation(deviceId);
  } catch {
    return null;
  }
}

function makeTestbed(
  { testbedService, testbeds }: ImportServiceOptions,
  inventory: ImportDevices,
  allThere: boolean,
): NonNullable<ImportState['testbed']> {
  const name = inventory.testbed ?? '';
  const failed = (detail: string) => ({ name, status: 'failed' as const, detail });
  if (!allThere)
    return failed(
      'The agent could not be installed on some devices. Fix the reported problems, then import again.',
    );
  if (inventory.devices.length < minDevices) {
    return failed(`A testbed needs ${minDevices} devices: a broker, a publisher and a subscriber.`);
  }
  const links = linksOf(inventory.devices);
  if (links.length === 0) return failed('The inventory has no link that all of its devices share.');
  const testbedId = toDeviceId(name);
  const known = testbeds.findTestbedRecord(testbedId);
  const testbed: SaveTestbed = {
    pools: [],
    brokerPorts: known?.brokerPorts ?? null,
    name,
    links,
    devices: inventory.devices.map((device, index) => ({
      deviceId: toDeviceId(device.name),
      role: roleInInventory(index),
    })),
  };
  try {
    if (known) testbedService.changeTestbed(testbedId, testbed);
    else testbedService.createTestbed(testbed);
    return { name, status: 'made', detail: `Links: ${links.map((link) => link.name).join(', ')}.` };
  } catch (error) {
    return failed(wordsOf(error));
  }
}

/** Returns the links that every device has. */
function linksOf(devices: readonly Wanted[]): TestbedLink[] {
  const [first, ...rest] = devices;
  return (first?.links ?? []).flatMap(({ name, interface: own }) => {
    const interfaces: Record<string, string> = { [toDeviceId(first?.name ?? '')]: own };
    for (const device of rest) {
      const other = device.links.find((link) => link.name === name);
      if (other) interfaces[toDeviceId(device.name)] = other.interface;
    }
    return Object.keys(interfaces).length === devices.length ? [{ name, interfaces }] : [];
  });
}

function wordsOf(error: unknown): string {
  if (error instanceof ProblemError) return `${error.problem.detail} ${error.problem.remedy}`;
  return error instanceof Error ? error.message : String(error);
}
