import { readFile } from 'node:fs/promises';
import type { AddDevice, KnownDevice } from '@mqttlab/shared/messages/devices';
import { UsageError } from '../../arguments.ts';
import { ask } from '../../ask.ts';
import { type Actions, type Command, type CommandContext, type ExitCode, runAction } from '../../context.ts';
import { followInstallation } from '../../follow-installation.ts';
import { formatDuration, renderTable } from '../../table.ts';
import { drainDevice, removeDevice, trustDevice, upgradeDevice } from './device-care.ts';
import { deviceEnergy } from './device-energy.ts';
import { importDevices } from './device-import.ts';

const actions: Actions = {
  add: addDevice,
  import: importDevices,
  list: listDevices,
  energy: deviceEnergy,
  upgrade: upgradeDevice,
  trust: trustDevice,
  drain: (context) => drainDevice(context, true),
  resume: (context) => drainDevice(context, false),
  remove: removeDevice,
};

/** The password comes from MQTTLAB_DEVICE_PASSWORD or is asked for: it is never an argument. */
export const device: Command = {
  name: 'device',
  summary: 'Install the agent over SSH; care for devices; remove one without a trace.',
  usages: [
    {
      form: 'add USER@HOST[:PORT] [NAME]',
      does: 'Install the agent on a machine over SSH.',
      options: [
        ['--fingerprint TEXT', 'of its host key, where nobody can be asked'],
        [
          '--key FILE',
          'private key that opens it; else a password is asked for, or taken from MQTTLAB_DEVICE_PASSWORD',
        ],
      ],
    },
    {
      form: 'import FILE',
      does: 'Add all devices of an inventory and make its testbed ("-": from standard input).',
    },
    { form: 'list', does: 'List devices with state, testbed and host key.' },
    {
      form: 'energy NAME',
      does: 'Show, or set, where the energy of a device is read. "none" takes a setting back.',
      options: [
        ['--source ID', 'one of the sources that its page lists'],
        ['--meter URL', 'of a Shelly or Tasmota plug'],
        ['--volts V', 'of its supply'],
        ['--battery MAH', 'of its battery'],
      ],
    },
    { form: 'upgrade NAME', does: 'Put the agent of this version on it.' },
    {
      form: 'trust NAME',
      does: 'Compare host keys, and pin the new one of a device that was reinstalled.',
      options: [['--fingerprint TEXT', 'of the new host key, where nobody can be asked']],
    },
    { form: 'drain NAME', does: 'Give it no new runs.' },
    { form: 'resume NAME', does: 'Give it runs again.' },
    {
      form: 'remove NAME',
      does: 'Take the agent off it without a trace.',
      options: [['--forget', 'only here: for a device that cannot be reached any more']],
    },
  ],
  run: runAction('device', actions),
};

async function addDevice(context: CommandContext): Promise<ExitCode> {
  const { api, args, note } = context;
  const target = parseTarget(args.positionals[1]);
  const { host, port } = target;
  const key = await api.call('POST /devices/host-key', { body: { host, port } });
  note(`The host key of ${host} is ${key.algorithm} ${key.fingerprint}.`);
  const otherwise = 'confirm the host key with --fingerprint';
  const text = 'Type it, or "yes", if it is the right one: ';
  const expected = args.fingerprint ?? (await ask(context, { text, otherwise }));
  if (expected !== key.fingerprint && expected !== 'yes') {
    note('mqttlab: not confirmed; nothing was sent to the device.');
    return 1;
  }
  const { fingerprint } = key;
  const begun = await api.call('POST /devices', {
    body: {
      ...target,
      name: args.positionals[2] ?? host,
      fingerprint,
      login: await findLogin(context, target.user),
    },
  });
  return (await followInstallation(context, begun)).code;
}

/** A private key by its file, else a password; none where the server's own key is on the device already. */
async function findLogin(context: CommandContext, user: string): Promise<AddDevice['login']> {
  const given = process.env.MQTTLAB_DEVICE_PASSWORD;
  if (context.args.key !== null) {
    const privateKey = await readFile(context.args.key, 'utf8').catch(() => {
      throw new UsageError(`--key: ${context.args.key} cannot be read; give the file of a private key`);
    });
    return { kind: 'key', privateKey, ...(given ? { sudoPassword: given } : {}) };
  }
  const password =
    given ??
    (await ask(context, {
      text: `Password of ${user} (empty: none): `,
      otherwise: 'set MQTTLAB_DEVICE_PASSWORD, or give a private key with --key',
      hidden: true,
    }));
  return password === '' ? { kind: 'server-key' } : { kind: 'password', password };
}

async function listDevices({ api, args, note, print }: CommandContext): Promise<ExitCode> {
  const { items } = await api.call('GET /devices');
  if (args.json) print(JSON.stringify(items));
  else {
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
  }
  return 0;
}

/** "offline, last contact 3 min 05 s ago". */
function describeState({ state, lastSeenAt }: Pick<KnownDevice, 'state' | 'lastSeenAt'>): string {
  if (state !== 'offline') return state;
  return lastSeenAt === null
    ? 'offline, never in contact'
    : `offline, last contact ${formatDuration(Date.now() - lastSeenAt)} ago`;
}

function parseTarget(text: string | undefined): { user: string; host: string; port: number } {
  const match = /^([^@\s]+)@(\[[^\]\s]+\]|[^:\s]+)(?::(\d{1,5}))?$/.exec(text ?? '');
  const [, user, host, port = '22'] = match ?? [];
  if (!user || !host) throw new UsageError(`"${text ?? ''}" is not a device; write it like pi@192.168.1.5`);
  return { user, host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
