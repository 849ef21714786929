import { issuesOf } from '@mqttlab/shared/domain/issue';
import { deviceIdSchema, saveTestbedSchema } from '@mqttlab/shared/messages/devices';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import * as YAML from 'yaml';
import { UsageError } from '../arguments.ts';
import { type Actions, type Command, type CommandContext, type ExitCode, runAction } from '../context.ts';
import { readDocument, writeOutput } from '../files.ts';
import { renderTable } from '../table.ts';

/** As "show" prints it. Without an id, the name says which testbed is meant. */
const fileSchema = saveTestbedSchema.safeExtend({ id: deviceIdSchema.optional() });

const actions: Actions = { list: listTestbeds, show: showTestbed, set: setTestbed, remove: removeTestbed };

export const testbed: Command = {
  name: 'testbed',
  summary: 'Which device plays which role, and which interfaces make a link.',
  usages: [
    { form: 'list', does: 'List testbeds with what they do now.' },
    {
      form: 'show ID',
      does: 'Print one as YAML, in the form that "set" takes.',
      options: [
        ['--json', 'as JSON'],
        ['-o FILE', 'into a file; else to standard output'],
      ],
    },
    {
      form: 'set FILE',
      does: 'Make a testbed of a file (YAML or JSON; "-": standard input), or change the one of that id or name.',
    },
    { form: 'remove ID', does: 'Dissolve one that is not in use; its devices stay.' },
  ],
  run: runAction('testbed', actions),
};

async function fetchTestbeds({ api }: CommandContext): Promise<TestbedStatus[]> {
  return (await api.call('GET /testbeds')).items;
}

async function listTestbeds(context: CommandContext): Promise<ExitCode> {
  const items = await fetchTestbeds(context);
  if (context.args.json) context.print(JSON.stringify(items));
  else {
    const heads = ['Id', 'Name', 'State', 'Devices', 'Links'].map((head) => ({ head }));
    const rows = items.map((item) => [
      item.testbedId,
      item.name,
      describeUse(item),
      countDevices(item),
      item.links?.map(({ name }) => name).join(', ') ?? 'those of this machine',
    ]);
    context.print(renderTable(heads, rows));
  }
  return 0;
}

function describeUse({ busyWith, probing, draining = [] }: TestbedStatus): string {
  if (busyWith !== null) return `in use by E-${busyWith}`;
  if (probing) return 'pre-flight';
  return draining.length > 0 ? `drained (${draining.join(', ')})` : 'idle';
}

function countDevices({ devices }: TestbedStatus): string {
  const started = devices.filter(({ standby }) => !standby);
  const online = started.filter((device) => device.online).length;
  return `${online} of ${started.length} online`;
}

async function showTestbed(context: CommandContext): Promise<ExitCode> {
  const { args, note, print } = context;
  const wanted = idOf(context);
  const items = await fetchTestbeds(context);
  const found = items.find(({ testbedId, name }) => testbedId === wanted || name === wanted);
  if (!found) {
    const known = items.map(({ testbedId }) => testbedId).join(', ');
    throw new UsageError(`there is no testbed ${wanted}; choose one of ${known}`);
  }
  const { testbedId: id, name, devices, pools = [], links = [] } = found;
  const named = devices.filter(({ pool }) => pool === undefined);
  const file = { id, name, devices: named.map(({ deviceId, role }) => ({ deviceId, role })), pools, links };
  const text = args.json ? JSON.stringify(file, null, 2) : YAML.stringify(file).trimEnd();
  if (args.output === null) print(text);
  else {
    await writeOutput(args.output, `${text}\n`);
    note(`${args.output}: ${text.length} characters`);
  }
  return 0;
}

async function setTestbed(context: CommandContext): Promise<ExitCode> {
  const { api, args, note, print } = context;
  const path = args.positionals[1];
  if (!path) throw new UsageError('name the file of the testbed, as "testbed show" prints one');
  const parsed = fileSchema.safeParse(await readDocument(path));
  if (!parsed.success) {
    const issues = issuesOf(parsed.error).map(
      ({ field, reason, remedy }) => `${field}: ${reason}. ${remedy}`,
    );
    throw new UsageError(`${path} is no testbed:\n  ${issues.join('\n  ')}`);
  }
  const { id, ...body } = parsed.data;
  const known = id ?? (await fetchTestbeds(context)).find(({ name }) => name === body.name)?.testbedId;
  const saved = await (known === undefined
    ? api.call('POST /testbeds', { body })
    : api.call('PUT /testbeds/{id}', { params: { id: known }, body }));
  if (args.json) print(JSON.stringify(saved));
  else print(`${saved.testbedId}  ${saved.name}: ${countDevices(saved)}`);
  note(known === undefined ? 'It was made.' : 'It was changed.');
  return 0;
}

async function removeTestbed(context: CommandContext): Promise<ExitCode> {
  const id = idOf(context);
  await context.api.call('DELETE /testbeds/{id}', { params: { id } });
  context.note(`${id} is dissolved; its devices stay.`);
  return 0;
}

function idOf({ args }: CommandContext): string {
  const id = args.positionals[1];
  if (!id) throw new UsageError('name the testbed; "testbed list" shows them');
  return id;
}
