import { hostKeyAnswerSchema, installationSchema } from '@mqttlab/shared/messages/devices';
import * as z from 'zod';
import { ask } from '../ask.ts';
import type { CommandContext, ExitCode } from '../context.ts';
import { deviceListSchema, followInstallation } from '../follow-installation.ts';
import { UsageError } from '../usage-error.ts';

const nothing = z.unknown();

export function upgradeDevice(context: CommandContext): Promise<ExitCode> {
  return work(context, { method: 'POST', path: '/upgrade' });
}

export async function removeDevice(context: CommandContext): Promise<ExitCode> {
  if (!context.args.forget) return work(context, { method: 'DELETE', path: '' });
  const name = nameOf(context);
  await context.api.call({ method: 'DELETE', path: pathOf(name), body: { forget: true }, response: nothing });
  context.note(`${name} is forgotten here; whatever is on the device stays there.`);
  return 0;
}

export async function drainDevice(context: CommandContext, draining: boolean): Promise<ExitCode> {
  const name = nameOf(context);
  const path = `${pathOf(name)}/drain`;
  await context.api.call({ method: 'POST', path, body: { draining }, response: nothing });
  context.note(draining ? `${name} gets no new runs.` : `${name} gets runs again.`);
  return 0;
}

/** Shows both host keys, and pins the new one when it is confirmed. */
export async function trustDevice(context: CommandContext): Promise<ExitCode> {
  const { api, args, note } = context;
  const name = nameOf(context);
  const { items } = await api.call({ method: 'GET', path: '/devices', response: deviceListSchema });
  const ssh = items.find(({ id }) => id === name)?.ssh;
  if (!ssh) throw new UsageError(`there is no added device ${name}; "device list" shows them`);
  const { host, port } = ssh;
  const shown = await api.call({
    method: 'POST' as const,
    path: '/devices/host-key',
    body: { host, port },
    response: hostKeyAnswerSchema,
  });
  if (shown.fingerprint === ssh.fingerprint) {
    note(`${name} shows the key that is pinned: ${ssh.fingerprint}. There is nothing to confirm.`);
    return 0;
  }
  note(`Pinned: ${ssh.fingerprint}`);
  note(`Shown:  ${shown.fingerprint} (${shown.algorithm})`);
  note('If the system of the device was not installed anew, somebody may be between you and it.');
  const otherwise = 'confirm the new host key with --fingerprint';
  const text = 'Type it, or "yes", if it is the right one: ';
  const expected = args.fingerprint ?? (await ask(context, { text, otherwise }));
  if (expected !== shown.fingerprint && expected !== 'yes') {
    note('mqttlab: it was not confirmed; nothing was sent to the device.');
    return 1;
  }
  const body = { fingerprint: shown.fingerprint };
  await api.call({ method: 'PUT', path: `${pathOf(name)}/host-key`, body, response: nothing });
  note(`${name} is trusted with its new key.`);
  return 0;
}

/** Where sudo asks, so is the person at the terminal, once. */
async function work(
  context: CommandContext,
  { method, path }: { method: 'POST' | 'DELETE'; path: string },
): Promise<ExitCode> {
  const name = nameOf(context);
  const begin = async (sudoPassword: string | undefined) => {
    const begun = await context.api.call({
      method,
      path: `${pathOf(name)}${path}`,
      response: installationSchema,
      body: sudoPassword === undefined ? {} : { sudoPassword },
    });
    return followInstallation(context, begun);
  };
  const { code, last } = await begin(process.env.MQTTLAB_DEVICE_PASSWORD);
  if (last.failure?.field !== 'sudoPassword' || !process.stdin.isTTY) return code;
  const otherwise = 'set MQTTLAB_DEVICE_PASSWORD';
  return (await begin(await ask(context, { text: 'Password for sudo: ', otherwise, hidden: true }))).code;
}

function nameOf({ args }: CommandContext): string {
  const name = args.positionals[1];
  if (!name) throw new UsageError('name the device; "device list" shows them');
  return name;
}

function pathOf(name: string): string {
  return `/devices/${encodeURIComponent(name)}`;
}
