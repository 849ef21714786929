import { UsageError } from '../../arguments.ts';
import { ask } from '../../ask.ts';
import type { CommandContext, ExitCode } from '../../context.ts';
import { followInstallation } from '../../follow-installation.ts';

export function upgradeDevice(context: CommandContext): Promise<ExitCode> {
  return work(context, 'POST /devices/{id}/upgrade');
}

export async function removeDevice(context: CommandContext): Promise<ExitCode> {
  if (!context.args.forget) return work(context, 'DELETE /devices/{id}');
  const name = nameOf(context);
  await context.api.call('DELETE /devices/{id}', { params: { id: name }, body: { forget: true } });
  context.note(`${name} is removed from the list; everything installed on the device stays.`);
  return 0;
}

export async function drainDevice(context: CommandContext, draining: boolean): Promise<ExitCode> {
  const name = nameOf(context);
  await context.api.call('POST /devices/{id}/drain', { params: { id: name }, body: { draining } });
  context.note(draining ? `${name} gets no new runs.` : `${name} gets runs again.`);
  return 0;
}

/** Shows both host keys, and pins the new one when it is confirmed. */
export async function trustDevice(context: CommandContext): Promise<ExitCode> {
  const { api, args, note } = context;
  const name = nameOf(context);
  const { items } = await api.call('GET /devices');
  const ssh = items.find(({ id }) => id === name)?.ssh;
  if (!ssh) throw new UsageError(`there is no added device ${name}; "device list" shows them`);
  const { host, port } = ssh;
  const shown = await api.call('POST /devices/host-key', { body: { host, port } });
  if (shown.fingerprint === ssh.fingerprint) {
    note(`${name} shows the key that is pinned: ${ssh.fingerprint}. There is nothing to confirm.`);
    return 0;
  }
  note(`Pinned: ${ssh.fingerprint}`);
  note(`Shown:  ${shown.fingerprint} (${shown.algorithm})`);
  note('If the system of the device was not reinstalled, this may be a man-in-the-middle attack.');
  const otherwise = 'confirm the new host key with --fingerprint';
  const text = 'Type it, or "yes", if it is the right one: ';
  const expected = args.fingerprint ?? (await ask(context, { text, otherwise }));
  if (expected !== shown.fingerprint && expected !== 'yes') {
    note('mqttlab: not confirmed; nothing was sent to the device.');
    return 1;
  }
  const body = { fingerprint: shown.fingerprint };
  await api.call('PUT /devices/{id}/host-key', { params: { id: name }, body });
  note(`${name} is trusted with its new key.`);
  return 0;
}

/** Where sudo asks, so is the person at the terminal, once. */
async function work(
  context: CommandContext,
  key: 'POST /devices/{id}/upgrade' | 'DELETE /devices/{id}',
): Promise<ExitCode> {
  const name = nameOf(context);
  const begin = async (sudoPassword: string | undefined) => {
    const begun = await context.api.call(key, {
      params: { id: name },
      body: sudoPassword === undefined ? {} : { sudoPassword },
    });
    if (begun === null) throw new Error(`no work on ${name} was begun`);
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
