import { describeIssue, issuesOf } from '@mqttlab/shared/domain/issue';
import {
  type ImportDevices,
  type Inventory,
  type InventoryDevice,
  inventorySchema,
} from '@mqttlab/shared/messages/inventory';
import { UsageError } from '../../arguments.ts';
import { ask } from '../../ask.ts';
import type { CommandContext, ExitCode } from '../../context.ts';
import { readDocument } from '../../files.ts';
import { makeStepReporter } from '../../follow-installation.ts';

const lookEveryMs = 250;

/** Adds all devices of a file, and makes the testbed that it names. Sent again, it goes on where it ended. */
export async function importDevices(context: CommandContext): Promise<ExitCode> {
  const { api, args, note, print } = context;
  const inventory = await readInventory(args.positionals[1]);
  const devices: ImportDevices['devices'] = [];
  for (const device of inventory.devices) {
    const fingerprint = await confirmKey(context, device);
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
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
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
  if (args.json) print(JSON.stringify(state));
  return state.status === 'done' ? 0 : 1;
}

/** The key that the device shows, which must be the one of the inventory or be confirmed; else null. */
async function confirmKey(context: CommandContext, device: InventoryDevice): Promise<string | null> {
  const { name, address: host, port } = device;
  const { algorithm, fingerprint } = await context.api.call('POST /devices/host-key', {
    body: { host, port },
  });
  if (device.fingerprint === fingerprint) return fingerprint;
  if (device.fingerprint !== undefined) {
    context.note(`mqttlab: ${name} shows another host key (${fingerprint}) than the inventory names.`);
    context.note('Nothing was sent to any device. Compare the key on it, then correct the inventory.');
    return null;
  }
  context.note(`The host key of ${name} is ${algorithm} ${fingerprint}.`);
  const answer = await ask(context, {
    text: 'Type it, or "yes", if it is the right one: ',
    otherwise: `put "fingerprint": "${fingerprint}" into the inventory for ${name} once it was compared`,
  });
  if (answer === fingerprint || answer === 'yes') return fingerprint;
  context.note('mqttlab: not confirmed; nothing was sent to any device.');
  return null;
}

/** YAML or JSON; "-" is standard input. */
async function readInventory(path: string | undefined): Promise<Inventory> {
  if (!path) throw new UsageError('name the file of the inventory, or "-" for standard input');
  const parsed = inventorySchema.safeParse(await readDocument(path));
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error).map(describeIssue);
  throw new UsageError(`this is not an inventory:\n  ${issues.join('\n  ')}`);
}
