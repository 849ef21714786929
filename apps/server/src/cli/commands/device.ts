import { createInterface } from 'node:readline/promises';
import {
  deviceSshSchema,
  hostKeyAnswerSchema,
  type Installation,
  installationSchema,
} from '@mqttlab/shared/protocol/devices';
import * as z from 'zod';
import type { Command, CommandContext, ExitCode } from '../context.ts';
import { formatDuration, renderTable } from '../table.ts';
import { UsageError } from '../usage-error.ts';

const listSchema = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      role: z.string(),
      testbedId: z.string(),
      online: z.boolean(),
      lastSeenAt: z.number().nullable(),
      ssh: deviceSshSchema.nullable(),
    }),
  ),
});

const actions: Readonly<Record<string, (context: CommandContext) => Promise<ExitCode>>> = {
  add: addDevice,
  list: listDevices,
  upgrade: (context) => change(context, { method: 'POST', path: '/upgrade' }),
  remove: (context) => change(context, { method: 'DELETE', path: '' }),
};

/** The password comes from MQTTLAB_DEVICE_PASSWORD or is asked for: it is never an argument. */
export const device: Command = {
  name: 'device',
  usage: 'device add USER@HOST[:PORT] [NAME] | list | upgrade NAME | remove NAME',
  summary: 'Install the agent over SSH, list devices, bring one up to date, remove one without a trace.',
  run: (context) => {
    const action = actions[context.args.positionals[0] ?? ''];
    if (!action) throw new UsageError(`write "device ${Object.keys(actions).join('", "device ')}"`);
    return action(context);
  },
};

async function addDevice(context: CommandContext): Promise<ExitCode> {
  const { api, args, note } = context;
  const target = parseTarget(args.positionals[1]);
  const { host, port } = target;
  const key = await api.call({
    ...{ method: 'POST' as const, path: '/devices/host-key' },
    ...{ body: { host, port }, response: hostKeyAnswerSchema },
  });
  note(`The host key of ${host} is ${key.algorithm} ${key.fingerprint}.`);
  const expected = args.fingerprint ?? (await ask(context, 'Type it, or "yes", if it is the right one: '));
  if (expected !== key.fingerprint && expected !== 'yes') {
    note('mqttlab: it was not confirmed; nothing was sent to the device.');
    return 1;
  }
  const password =
    process.env.MQTTLAB_DEVICE_PASSWORD ?? (await ask(context, `Password of ${target.user} (empty: none): `));
  const login = password === '' ? { kind: 'server-key' } : { kind: 'password', password };
  const name = args.positionals[2] ?? host;
  const { fingerprint } = key;
  const begun = await api.call({
    ...{ method: 'POST' as const, path: '/devices', response: installationSchema },
    body: { ...target, name, fingerprint, login },
  });
  return follow(context, begun);
}

async function listDevices({ api, args, print }: CommandContext): Promise<ExitCode> {
  const { items } = await api.call({ method: 'GET', path: '/devices', response: listSchema });
  if (args.json) print(JSON.stringify(items));
  else {
    const heads = ['Name', 'State', 'Testbed', 'Role', 'Address', 'Host key'].map((head) => ({ head }));
    const rows = items.map(({ id, online, testbedId, role, ssh }) => [
      id,
      ssh?.session === 'host-key-changed' ? 'HOST KEY CHANGED' : online ? 'online' : 'offline',
      testbedId || '-',
      testbedId ? role : '-',
      ssh ? `${ssh.user}@${ssh.host}:${ssh.port}` : 'this machine',
      ssh?.fingerprint ?? '-',
    ]);
    print(renderTable(heads, rows));
  }
  return 0;
}

async function change(
  context: CommandContext,
  { method, path }: { method: 'POST' | 'DELETE'; path: string },
): Promise<ExitCode> {
  const name = context.args.positionals[1];
  if (!name) throw new UsageError('name the device; "device list" shows them');
  const sudoPassword = process.env.MQTTLAB_DEVICE_PASSWORD;
  const begun = await context.api.call({
    ...{ method, path: `/devices/${encodeURIComponent(name)}${path}`, response: installationSchema },
    body: sudoPassword === undefined ? {} : { sudoPassword },
  });
  return follow(context, begun);
}

const lookEveryMs = 250;

/** Says each step when it is over. A device that was removed has no installation any more. */
async function follow({ api, args, note, print }: CommandContext, begun: Installation): Promise<ExitCode> {
  const said = new Set<string>();
  let now = begun;
  for (;;) {
    for (const { id, label, status, detail, durationMs } of now.steps) {
      if (said.has(id) || (status !== 'done' && status !== 'failed')) continue;
      said.add(id);
      note(`${status === 'done' ? 'ok  ' : 'FAIL'} ${label}: ${detail} (${formatDuration(durationMs ?? 0)})`);
    }
    if (now.status !== 'running') break;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    const { items } = await api.call({ method: 'GET', path: '/devices', response: listSchema });
    if (!items.some(({ id }) => id === begun.deviceId)) {
      note(`${begun.deviceId} is removed; nothing of mqttlab is on it.`);
      return 0;
    }
    const path = `/devices/${begun.deviceId}/installation`;
    now = await api.call({ method: 'GET', path, response: installationSchema });
  }
  if (args.json) print(JSON.stringify(now));
  if (now.failure) note(`mqttlab: ${now.failure.message} ${now.failure.remedy}`);
  return now.status === 'done' ? 0 : 1;
}

function parseTarget(text: string | undefined): { user: string; host: string; port: number } {
  const match = /^([^@\s]+)@(\[[^\]\s]+\]|[^:\s]+)(?::(\d{1,5}))?$/.exec(text ?? '');
  const [, user, host, port = '22'] = match ?? [];
  if (!user || !host) throw new UsageError(`"${text ?? ''}" is no device; write it like pi@192.168.1.5`);
  return { user, host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

async function ask({ signal }: CommandContext, question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new UsageError('confirm the host key with --fingerprint and set MQTTLAB_DEVICE_PASSWORD');
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question, { signal })).trim();
  } finally {
    terminal.close();
  }
}
