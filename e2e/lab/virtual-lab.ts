import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBaseTree, labUsers } from './base-tree.ts';
import { cutPower, initPidOf, switchOn, whenReachable } from './boot-device.ts';
import { removeGroups } from './control-group.ts';
import {
  deviceFolders,
  makeDeviceRoot,
  makeKey,
  readFingerprint,
  removeFolder,
  unmountAll,
} from './device-root.ts';
import { LabError } from './lab-error.ts';
import type { LabPaths } from './lab-paths.ts';
import { type LabDevice, type LabLink, type LabState, readLabState, writeLabState } from './lab-state.ts';
import {
  addressOf,
  chooseNetwork,
  makeDeviceNetwork,
  makeHub,
  removeNetwork,
  setCable,
  uplinkAddress,
} from './network.ts';
import { tryProgram } from './run-program.ts';
import { waitForTurn } from './wait-for-turn.ts';

export interface LabOptions {
  devices: number;
  /** Plain namespaces with one sshd each, for machines without systemd-nspawn. */
  plain: boolean;
  onStep: (text: string) => void;
}

/** Inventory for the page and `mqttlab device import`, with all data to add the devices. */
export interface LabInventory {
  lab: string;
  /** Name of the testbed to create. */
  testbed: string;
  /** Address of this machine for the devices. */
  serverAddress: string;
  devices: {
    name: string;
    address: string;
    port: number;
    user: string;
    password: string;
    /** Fingerprint of its current host key. */
    fingerprint: string;
    keyFile: string;
    links: { name: LabLink; interface: string; address: string }[];
  }[];
}

/** Virtual Pis in separate namespaces. Requires root on Linux. */
export class VirtualLab {
  readonly #paths: LabPaths;
  readonly #state: LabState;

  private constructor(paths: LabPaths, state: LabState) {
    this.#paths = paths;
    this.#state = state;
  }

  /** Throws if a lab of this name exists. */
  static async start(paths: LabPaths, { devices, plain, onStep }: LabOptions): Promise<VirtualLab> {
    if (readLabState(paths.stateFile) !== null) throw labIsThere(paths);
    const tree = await ensureBaseTree(paths.treesFolder, onStep);
    // Two labs that start at the same time would choose the same addresses.
    const letGo = await waitForTurn('mqttlab-lab');
    const lab = await planLab(paths, { devices, plain, tree })
      .then(async (state) => {
        if (readLabState(paths.stateFile) !== null) throw labIsThere(paths);
        writeLabState(paths.stateFile, state);
        const planned = new VirtualLab(paths, state);
        await makeHub(state).catch(async (error: unknown) => {
          await planned.remove();
          throw error;
        });
        return planned;
      })
      .finally(letGo);
    try {
      onStep(`Starting ${devices} virtual Pis ...`);
      await lab.#build();
      return lab;
    } catch (error) {
      await lab.remove();
      throw error;
    }
  }

  /** The lab started by another process; null if there is none. */
  static find(paths: LabPaths): VirtualLab | null {
    const state = readLabState(paths.stateFile);
    return state === null ? null : new VirtualLab(paths, state);
  }

  get devices(): readonly LabDevice[] {
    return this.#state.devices;
  }

  device(name: string): LabDevice {
    const found = this.devices.find((device) => device.name === name);
    if (found === undefined) throw new LabError(`There is no ${name} in this lab.`, '');
    return found;
  }

  inventory(): LabInventory {
    const { name, network, keyFile } = this.#state;
    return {
      lab: name,
      testbed: name === 'lab' ? 'Virtual lab' : `Virtual lab ${name}`,
      serverAddress: uplinkAddress(network),
      devices: this.devices.map((device) => ({
        name: device.name,
        address: device.addresses.ethernet,
        port: 22,
        user: 'pi',
        password: labUsers.pi.password,
        fingerprint: readFingerprint(deviceFolders(this.#paths, device).root),
        keyFile,
        links: (['ethernet', 'wifi'] as const).map((link) => ({
          name: link,
          interface: link,
          address: device.addresses[link],
        })),
      })),
    };
  }

  /** Runs a program on a device as root without sshd; resolves with exit code and output. */
  async run(
    name: string,
    command: readonly string[],
  ): Promise<{ code: number; output: string; words: string }> {
    const device = this.device(name);
    const pid = await initPidOf(device);
    const root = device.kind === 'plain' ? ['--root', '--wd=/'] : [];
    return tryProgram('nsenter', [
      '-t',
      `${pid}`,
      '-m',
      '-p',
      '-u',
      '-i',
      '-n',
      '-C',
      ...root,
      '--',
      ...command,
    ]);
  }

  async setCable(name: string, link: LabLink, plugged: boolean): Promise<void> {
    await setCable(this.#state, this.device(name), { link, plugged });
  }

  /** Simulates a power cut; the disk is kept. */
  async cutPower(name: string): Promise<void> {
    await cutPower(this.device(name));
    await removeGroups(this.#paths.name, name);
  }

  async switchOn(name: string): Promise<void> {
    switchOn(this.#paths, this.device(name));
    await whenReachable(this.#paths, this.device(name));
  }

  /** Restores this machine to its previous state, also after a crash during `start`. Idempotent. */
  async remove(): Promise<void> {
    for (const device of this.devices) await cutPower(device);
    await removeGroups(this.#paths.name);
    await unmountAll(this.#paths.folder);
    await removeNetwork(this.#state);
    // Last, so that "down" can be repeated if a step fails.
    for (const { name } of this.devices) await removeFolder(join(this.#paths.folder, name));
    rmSync(this.#paths.folder, { recursive: true, force: true });
  }

  async #build(): Promise<void> {
    const { devices, keyFile } = this.#state;
    await makeKey(keyFile, `mqttlab-lab-${this.#state.name}`);
    for (const device of devices) {
      await makeDeviceNetwork(this.#state, device);
      await makeDeviceRoot(this.#paths, this.#state, device);
      switchOn(this.#paths, device);
    }
    await Promise.all(devices.map((device) => whenReachable(this.#paths, device)));
  }
}

function labIsThere({ name }: LabPaths): LabError {
  return new LabError(`The lab "${name}" is there already.`, 'Remove it first: npm run lab -- down.');
}

async function planLab(
  paths: LabPaths,
  { devices, plain, tree }: { devices: number; plain: boolean; tree: string },
): Promise<LabState> {
  const { name } = paths;
  const network = await chooseNetwork();
  const canNest = existsSync('/usr/bin/systemd-nspawn');
  return {
    name,
    hub: `mqttlab-${name}-hub`,
    uplink: `mql-${name}`,
    network,
    tree,
    keyFile: join(paths.folder, 'key'),
    devices: Array.from({ length: devices }, (_, index) => ({
      name: `pi-${index + 1}`,
      namespace: `mqttlab-${name}-${index + 1}`,
      number: index + 1,
      kind: plain || !canNest ? ('plain' as const) : ('systemd' as const),
      addresses: {
        ethernet: addressOf(network, 'ethernet', index + 1),
        wifi: addressOf(network, 'wifi', index + 1),
      },
    })),
  };
}
