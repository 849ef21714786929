import { readFile } from 'node:fs/promises';
import type { ExitCode } from '@mqttlab/shared/domain/exit-codes';
import { describeIssue, issuesOf } from '@mqttlab/shared/domain/issue';
import type { DeviceSettings } from '@mqttlab/shared/messages/device-settings';
import type { AddDevice, KnownDevice } from '@mqttlab/shared/messages/devices';
import {
  type ImportDevices,
  type Inventory,
  type InventoryDevice,
  inventorySchema,
} from '@mqttlab/shared/messages/inventory';
import { type Cli, type CommandContext, usageError } from '../cli.ts';
import { readDocument } from '../files.ts';
import { followInstallation, installationPollMs, makeStepReporter } from '../follow-installation.ts';
import { ask, confirmHostKey, formatDuration, renderTable } from '../terminal.ts';

const missingName = 'name the device; "device list" shows all devices';

/**
 * Adds the command. Passwords are read from MQTTLAB_DEVICE_PASSWORD or from the terminal, never from an
 * argument.
 */
export function addDevice(cli: Cli): void {
  const device = cli.group('device', {
    does: 'Install the agent over SSH, manage devices, and uninstall it completely.',
  });

  device
    .command('add', {
      does: 'Install the agent on a machine over SSH.',
      examples: ['device add pi@192.168.1.5 gateway', 'device add pi@192.168.1.5 --key ~/.ssh/id_ed25519'],
    })
    .argument('<USER@HOST[:PORT]>', 'name the device in the form pi@192.168.1.5')
    .argument('[NAME]')
    .option('--fingerprint <TEXT>', 'the expected host key, if there is no terminal')
    .option(
      '--key <FILE>',
      'private key for the login (default: a password, from a prompt or MQTTLAB_DEVICE_PASSWORD)',
    )
    .action(cli.runs(installAgent));

  device
    .command('import', {
      does: 'Add all devices in an inventory and create its testbed; "-" reads standard input.',
      examples: ['device import inventory.yaml'],
    })
    .argument('<FILE>', 'name the inventory file, or "-" for standard input')
    .action(cli.runs(importDevices));

  device
    .command('list', { does: 'List devices with state, testbed and host key.', examples: ['device list'] })
    .action(cli.runs(listDevices));

  device
    .command('energy', {
      does: 'Show or set the energy source of a device. "none" removes a setting.',
      examples: ['device energy gateway --meter http://192.168.1.40 --volts 5.1'],
    })
    .argument('<NAME>', missingName)
    .option('--source <ID>', "a source listed on the device's page")
    .option('--meter <URL>', 'address of a Shelly or Tasmota plug')
    .option('--volts <V>', 'voltage of the supply')
    .option('--battery <MAH>', 'capacity of the battery')
    .action(cli.runs(configureEnergy));

  device
    .command('upgrade', {
      does: 'Install this version of the agent on a device.',
      examples: ['device upgrade gateway'],
    })
    .argument('<NAME>', missingName)
    .action(cli.runs((context, name) => workOn(context, name, 'POST /devices/{id}/upgrade')));

  device
    .command('trust', {
      does: 'Compare host keys, and pin the new key of a reinstalled device.',
      examples: ['device trust gateway'],
    })
    .argument('<NAME>', missingName)
    .option('--fingerprint <TEXT>', 'the new host key, if there is no terminal')
    .action(cli.runs(trustDevice));

  for (const { action, draining, does, done } of [
    { action: 'drain', draining: true, does: 'Prevent new runs on a device.', done: 'gets no new runs.' },
    { action: 'resume', draining: false, does: 'Allow runs on a device again.', done: 'gets runs again.' },
  ]) {
    device
      .command(action, { does, examples: [`device ${action} gateway`] })
      .argument('<NAME>', missingName)
      .action(
        cli.runs(async ({ api, note }, name) => {
          await api.call('POST /devices/{id}/drain', { params: { id: name }, body: { draining } });
          note(`${name} ${done}`);
          return 0;
        }),
      );
  }

  device
    .command('remove', {
      does: 'Uninstall the agent completely from a device.',
      examples: ['device remove gateway', 'device remove gateway --forget'],
    })
    .argument('<NAME>', missingName)
    .option('--forget', 'only remove the device from the list; for a device that can no longer be reached')
    .action(
      cli.runs(async (context, name, { forget = false }) => {
        if (!forget) return workOn(context, name, 'DELETE /devices/{id}');
        await context.api.call('DELETE /devices/{id}', { params: { id: name }, body: { forget } });
        context.note(`${name} is removed from the list; everything installed on the device remains there.`);
        return 0;
      }),
    );
}

async function installAgent(
  context: CommandContext,
  address: string,
  name: string | undefined,
  { fingerprint: expected, key }: { fingerprint?: string | undefined; key?: string | undefined },
): Promise<ExitCode> {
  const { api, note } = context;
  const target = parseTarget(address);
  const { host, port } = target;
  const { algorithm, fingerprint } = await api.call('POST /devices/host-key', { body: { host, port } });
  note(`The host key of ${host} is ${algorithm} ${fingerprint}.`);
  const otherwise = 'confirm the host key with --fingerprint';
  if (!(await confirmHostKey(context, fingerprint, { expected, otherwise }))) {
    note('mqttlab: not confirmed; nothing was sent to the device.');
    return 1;
  }
  const login = await findLogin(context, target.user, key);
  const begun = await api.call('POST /devices', {
    body: { ...target, name: name ?? host, fingerprint, login },
  });
  return (await followInstallation(context, begun)).code;
}

/**
 * Returns a private key if one is given, otherwise a password. With an empty password, the server logs in
 * with its own key.
 */
async function findLogin(
  context: CommandContext,
  user: string,
  keyFile: string | undefined,
): Promise<AddDevice['login']> {
  const given = context.env.MQTTLAB_DEVICE_PASSWORD;
  if (keyFile !== undefined) {
    const privateKey = await readFile(keyFile, 'utf8').catch(() => {
      throw usageError(`--key: ${keyFile} cannot be read; pass the path of a private key file`);
    });
    return { kind: 'key', privateKey, ...(given ? { sudoPassword: given } : {}) };
  }
  const password =
    given ??
    (await ask(context, {
      text: `Password for ${user} (leave empty for none): `,
      otherwise: 'set MQTTLAB_DEVICE_PASSWORD, or give a private key with --key',
      hidden: true,
    }));
  return password === '' ? { kind: 'server-key' } : { kind: 'password', password };
}

async function listDevices({ api, json, note, print }: CommandContext): Promise<ExitCode> {
  const { items } = await api.call('GET /devices');
  if (json) {
    print(JSON.stringify(items));
    return 0;
  }
  const heads = ['Name', 'State', 'Testbed', 'Role', 'Address', 'Host key'].map((head) => ({ head }));
  const rows = items.map(({ testbedId, role, ssh, ...device }) => [
    device.id,
    ssh?.session === 'host-key-changed' ? 'HOST KEY CHANGED' : describeState(device),
    testbedId || '-',
    testbedId ? role : '-',
    ssh ? `${ssh.user}@${ssh.host}:${ssh.port}` : 'this machine',
    ssh?.fingerprint ?? '-',
  ]);
  print(renderTable(heads, rows));
  for (const { id, reasons, ssh } of items) {
    if (reasons.length > 0) note(`${id}: ${reasons.join('; ')}`);
    if (ssh?.session === 'host-key-changed') note(`${id}: "device trust ${id}" compares the two keys.`);
  }
  return 0;
}

/** Returns for example "offline, last contact 3 min 05 s ago". */
function describeState({ state, lastSeenAt }: Pick<KnownDevice, 'state' | 'lastSeenAt'>): string {
  if (state !== 'offline') return state;
  return lastSeenAt === null
    ? 'offline, never in contact'
    : `offline, last contact ${formatDuration(Date.now() - lastSeenAt)} ago`;
}

function parseTarget(text: string): { user: string; host: string; port: number } {
  const match = /^([^@\s]+)@(\[[^\]\s]+\]|[^:\s]+)(?::(\d{1,5}))?$/.exec(text);
  const [, user, host, port = '22'] = match ?? [];
  if (!user || !host) throw usageError(`"${text}" is not a device; use the form pi@192.168.1.5`);
  return { user, host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** Upgrades or uninstalls an agent. If sudo on the device needs a password, asks for it once. */
async function workOn(
  context: CommandContext,
  name: string,
  endpoint: 'POST /devices/{id}/upgrade' | 'DELETE /devices/{id}',
): Promise<ExitCode> {
  const begin = async (sudoPassword: string | undefined) => {
    const begun = await context.api.call(endpoint, {
      params: { id: name },
      body: sudoPassword === undefined ? {} : { sudoPassword },
    });
    if (begun === null) throw new Error(`nothing was started on ${name}`);
    return followInstallation(context, begun);
  };
  const { code, last } = await begin(context.env.MQTTLAB_DEVICE_PASSWORD);
  if (last.failure?.field !== 'sudoPassword' || !process.stdin.isTTY) return code;
  const otherwise = 'set MQTTLAB_DEVICE_PASSWORD';
  return (await begin(await ask(context, { text: 'Password for sudo: ', otherwise, hidden: true }))).code;
}

/** Shows the pinned and the current host key, and pins the current key after confirmation. */
async function trustDevice(
  context: CommandContext,
  name: string,
  { fingerprint: expected }: { fingerprint?: string | undefined },
): Promise<ExitCode> {
  const { api, note } = context;
  const { items } = await api.call('GET /devices');
  const ssh = items.find(({ id }) => id === name)?.ssh;
  if (!ssh) throw usageError(`no device ${name} was added over SSH; "device list" shows all devices`);
  const { host, port } = ssh;
  const { algorithm, fingerprint } = await api.call('POST /devices/host-key', { body: { host, port } });
  if (fingerprint === ssh.fingerprint) {
    note(`${name} presents the pinned key: ${ssh.fingerprint}. There is nothing to confirm.`);
    return 0;
  }
  note(`Pinned: ${ssh.fingerprint}`);
  note(`Shown:  ${fingerprint} (${algorithm})`);
  note("If the device's operating system was not reinstalled, this may be a man-in-the-middle attack.");
  const otherwise = 'confirm the new host key with --fingerprint';
  if (!(await confirmHostKey(context, fingerprint, { expected, otherwise }))) {
    note('mqttlab: not confirmed; nothing was sent to the device.');
    return 1;
  }
  await api.call('PUT /devices/{id}/host-key', { params: { id: name }, body: { fingerprint } });
  note(`${name} is trusted with its new key.`);
  return 0;
}

interface EnergyOptions {
  source?: string | undefined;
  meter?: string | undefined;
  volts?: string | undefined;
  battery?: string | undefined;
}

async function configureEnergy(
  { api, json, print }: CommandContext,
  name: string,
  { source, meter, volts, battery }: EnergyOptions,
): Promise<ExitCode> {
  const params = { id: name };
  const before = await api.call('GET /devices/{id}/settings', { params });
  const change = {
    ...textSetting('energySource', source),
    ...textSetting('meterUrl', meter),
    ...numberSetting('supplyVolts', volts),
    ...numberSetting('batteryMah', battery),
  };
  // The server validates the body; its response names an invalid field.
  const body = { ...before, ...change } as DeviceSettings;
  const settings =
    Object.keys(change).length === 0
      ? before
      : await api.call('PUT /devices/{id}/settings', { params, body });
  const { energySource, meterUrl, supplyVolts, batteryMah } = settings;
  if (json) print(JSON.stringify(settings));
  else {
    print(
      [
        `Source:  ${energySource ?? 'best available'}`,
        `Meter:   ${meterUrl ?? 'none'}`,
        `Supply:  ${supplyVolts === null ? 'not set' : `${supplyVolts} V`}`,
        `Battery: ${batteryMah === null ? 'none' : `${batteryMah} mAh`}`,
      ].join('\n'),
    );
  }
  return 0;
}

/** Option value that removes a setting, as in `--source none`. */
const noSetting = 'none';

function textSetting(field: string, text: string | undefined): Record<string, string | null> {
  return text === undefined ? {} : { [field]: text === noSetting ? null : text };
}

/** Sends text that is not a number unchanged, because the server's response names the field. */
function numberSetting(field: string, text: string | undefined): Record<string, string | number | null> {
  if (text === undefined) return {};
  if (text === noSetting) return { [field]: null };
  return { [field]: Number.isFinite(Number(text)) ? Number(text) : text };
}

/**
 * Adds all devices in a file and creates the testbed that it names. A repeated import continues where the
 * previous one ended.
 */
async function importDevices(context: CommandContext, path: string): Promise<ExitCode> {
  const { api, json, note, print } = context;
  const inventory = await readInventory(path);
  const devices: ImportDevices['devices'] = [];
  for (const device of inventory.devices) {
    const fingerprint = await verifyHostKey(context, device);
    if (fingerprint === null) return 1;
    const { name, address: host, port, user, password, links } = device;
    const login =
      password === undefined ? { kind: 'server-key' as const } : { kind: 'password' as const, password };
    devices.push({ name, host, port, user, fingerprint, login, links });
  }
  const body = { ...(inventory.testbed === undefined ? {} : { testbed: inventory.testbed }), devices };
  let state = await api.call('POST /devices/import', { body });
  const reporters = devices.map(({ name }) => makeStepReporter(note, `${name}  `));
  for (;;) {
    for (const [index, { installation }] of state.devices.entries()) {
      if (installation) reporters[index]?.(installation);
    }
    if (state.status !== 'running') break;
    await new Promise((resolve) => setTimeout(resolve, installationPollMs));
    state = await api.call('GET /devices/import');
  }
  for (const { name, refusal, installation } of state.devices) {
    if (refusal !== null) note(`mqttlab: ${name}: ${refusal}`);
    const failure = installation?.failure;
    if (failure) note(`mqttlab: ${name}: ${failure.message} ${failure.remedy}`);
  }
  const { testbed } = state;
  if (testbed)
    note(`${testbed.status === 'made' ? 'ok  ' : 'FAIL'} Testbed ${testbed.name}: ${testbed.detail}`);
  if (json) print(JSON.stringify(state));
  return state.status === 'done' ? 0 : 1;
}

/** Returns the device's host key if it matches the inventory or the user confirms it, otherwise null. */
async function verifyHostKey(context: CommandContext, device: InventoryDevice): Promise<string | null> {
  const { name, address: host, port } = device;
  const { algorithm, fingerprint } = await context.api.call('POST /devices/host-key', {
    body: { host, port },
  });
  if (device.fingerprint === fingerprint) return fingerprint;
  if (device.fingerprint !== undefined) {
    context.note(
      `mqttlab: ${name} presents a host key (${fingerprint}) that differs from the one in the inventory.`,
    );
    context.note(
      'Nothing was sent to any device. Compare this key with the key on the device, then correct the inventory.',
    );
    return null;
  }
  context.note(`The host key of ${name} is ${algorithm} ${fingerprint}.`);
  const otherwise = `compare the fingerprint, then add "fingerprint": "${fingerprint}" for ${name} to the inventory`;
  if (await confirmHostKey(context, fingerprint, { expected: undefined, otherwise })) return fingerprint;
  context.note('mqttlab: not confirmed; nothing was sent to any device.');
  return null;
}

async function readInventory(path: string): Promise<Inventory> {
  const parsed = inventorySchema.safeParse(await readDocument(path));
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error).map(describeIssue);
  throw usageError(`this is not an inventory:\n  ${issues.join('\n  ')}`);
}
