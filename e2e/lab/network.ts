import { existsSync } from 'node:fs';
import { LabError } from './lab-error.ts';
import type { LabDevice, LabLink, LabState } from './lab-state.ts';
import { runProgram, tryProgram } from './run-program.ts';

/** Properties of the networks. A port shapes traffic towards its device, so every packet is shaped once. */
const links = {
  ethernet: { rate: '1gbit', burst: '256kb', lossPermille: 0 },
  wifi: { rate: '65mbit', burst: '64kb', lossPermille: 5 },
} as const satisfies Record<LabLink, object>;
const linkNames = Object.keys(links) as LabLink[];

/** Last byte of this machine's address in the lab's Ethernet network. */
const uplinkHost = 254;

/** Two /24 networks without routes on this machine. */
export async function chooseNetwork(): Promise<LabState['network']> {
  const routes = await runProgram('ip', ['-4', '-o', 'route', 'show', 'table', 'all']);
  for (let second = 83; second < 99; second += 1) {
    if (!routes.includes(`10.${second}.`)) return { prefix: `10.${second}`, ethernet: 0, wifi: 1 };
  }
  throw new LabError(
    'Every network from 10.83.0.0 to 10.98.0.0 is in use.',
    'Remove a lab: npm run lab -- down.',
  );
}

export function addressOf(network: LabState['network'], link: LabLink, number: number): string {
  return `${network.prefix}.${network[link]}.${10 + number}`;
}

/** Address of this machine for the devices. */
export function uplinkAddress({ prefix, ethernet }: LabState['network']): string {
  return `${prefix}.${ethernet}.${uplinkHost}`;
}

/** Creates a namespace with two bridges, and an interface of this machine in the first one. */
export async function makeHub({ hub, uplink, network }: LabState): Promise<void> {
  await runProgram('ip', ['netns', 'add', hub]);
  for (const link of linkNames) {
    await inHub(hub, ['link', 'add', link, 'type', 'bridge']);
    await inHub(hub, ['link', 'set', link, 'up']);
  }
  await runProgram('ip', ['link', 'add', uplink, 'type', 'veth', 'peer', 'name', 'uplink', 'netns', hub]);
  await inHub(hub, ['link', 'set', 'uplink', 'master', 'ethernet', 'up']);
  await runProgram('ip', ['address', 'add', `${uplinkAddress(network)}/24`, 'dev', uplink]);
  await runProgram('ip', ['link', 'set', uplink, 'up']);
  const rules = linkNames
    .filter((link) => links[link].lossPermille > 0)
    .map((link) => `iifname "${link}*" numgen random mod 1000 < ${links[link].lossPermille} counter drop`);
  const chain = ['type filter hook forward priority 0; policy accept;', ...rules].join('\n');
  await runProgram('ip', ['netns', 'exec', hub, 'nft', '-f', '-'], {
    input: `table bridge air {\nchain forward {\n${chain}\n}\n}\n`,
  });
}

/** Creates the namespace of a device with two interfaces connected to the bridges. */
export async function makeDeviceNetwork(state: LabState, device: LabDevice): Promise<void> {
  const { hub } = state;
  const { namespace, number, addresses } = device;
  await runProgram('ip', ['netns', 'add', namespace]);
  await runProgram('ip', ['-n', namespace, 'link', 'set', 'lo', 'up']);
  for (const link of linkNames) {
    const port = `${link}${number}`;
    const { rate, burst } = links[link];
    await inHub(hub, ['link', 'add', port, 'type', 'veth', 'peer', 'name', link, 'netns', namespace]);
    await inHub(hub, ['link', 'set', port, 'master', link, 'up']);
    await runProgram('tc', [
      '-n',
      hub,
      'qdisc',
      'add',
      'dev',
      port,
      'root',
      'tbf',
      'rate',
      rate,
      'burst',
      burst,
      'latency',
      '50ms',
    ]);
    await runProgram('ip', ['-n', namespace, 'address', 'add', `${addresses[link]}/24`, 'dev', link]);
    await runProgram('ip', ['-n', namespace, 'link', 'set', link, 'up']);
  }
}

/** Disconnects or reconnects a device. */
export async function setCable(
  { hub }: Pick<LabState, 'hub'>,
  { number }: Pick<LabDevice, 'number'>,
  cable: { link: LabLink; plugged: boolean },
): Promise<void> {
  await inHub(hub, ['link', 'set', `${cable.link}${number}`, cable.plugged ? 'up' : 'down']);
}

/** Deletes namespaces with their bridges, ports, qdiscs and rules, and the uplink with its peer. */
export async function removeNetwork({ hub, uplink, devices }: LabState): Promise<void> {
  // The kernel removes a namespace asynchronously, so the outer interface is removed explicitly.
  await tryProgram('ip', ['link', 'delete', uplink]);
  for (const namespace of [...devices.map((device) => device.namespace), hub]) {
    if (existsSync(`/run/netns/${namespace}`)) await runProgram('ip', ['netns', 'delete', namespace]);
  }
}

function inHub(hub: string, args: readonly string[]): Promise<string> {
  return runProgram('ip', ['-n', hub, ...args]);
}
