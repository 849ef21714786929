import { issuesOf } from '@mqttlab/shared/domain/issue';
import { deviceIdSchema, saveTestbedSchema } from '@mqttlab/shared/messages/devices';
import type { TestbedStatus } from '@mqttlab/shared/messages/http';
import * as YAML from 'yaml';
import type { Api } from '../api.ts';
import { type Cli, usageError } from '../cli.ts';
import { readDocument, writeOutput } from '../files.ts';
import { renderTable } from '../terminal.ts';

const missingId = 'name the testbed; "testbed list" shows all testbeds';

/** The format that "show" prints. Without an id, the name identifies the testbed. */
const fileSchema = saveTestbedSchema.safeExtend({ id: deviceIdSchema.optional() });

export function addTestbed(cli: Cli): void {
  const testbed = cli.group('testbed', {
    does: 'Manage testbeds: the role of each device, and the interfaces of a link.',
  });

  testbed
    .command('list', { does: 'List testbeds with their current use.', examples: ['testbed list'] })
    .action(
      cli.runs(async ({ api, json, print }) => {
        const items = await fetchTestbeds(api);
        if (json) print(JSON.stringify(items));
        else {
          const heads = ['Id', 'Name', 'State', 'Devices', 'Links'].map((head) => ({ head }));
          const rows = items.map((item) => [
            item.testbedId,
            item.name,
            describeUse(item),
            countDevices(item),
            item.links?.map(({ name }) => name).join(', ') ?? 'those of this machine',
          ]);
          print(renderTable(heads, rows));
        }
        return 0;
      }),
    );

  testbed
    .command('show', {
      does: 'Print a testbed as YAML (as JSON with --json), in the form that "set" accepts.',
      examples: ['testbed show lab -o lab.yaml'],
    })
    .argument('<ID>', missingId)
    .option('-o, --output <FILE>', 'write to a file (default: standard output)')
    .action(
      cli.runs(async ({ api, json, note, print }, wanted, { output }) => {
        const items = await fetchTestbeds(api);
        const found = items.find(({ testbedId, name }) => testbedId === wanted || name === wanted);
        if (!found) {
          const known = items.map(({ testbedId }) => testbedId).join(', ');
          throw usageError(`there is no testbed ${wanted}; choose one of ${known}`);
        }
        const { testbedId: id, name, devices: members, pools = [], links = [], brokerPorts = null } = found;
        const devices = members
          .filter(({ pool }) => pool === undefined)
          .map(({ deviceId, role }) => ({ deviceId, role }));
        const file = { id, name, devices, pools, links, brokerPorts };
        const text = json ? JSON.stringify(file, null, 2) : YAML.stringify(file).trimEnd();
        if (output === undefined) print(text);
        else {
          await writeOutput(output, `${text}\n`);
          note(`${output}: ${text.length} characters`);
        }
        return 0;
      }),
    );

  testbed
    .command('set', {
      does: 'Create a testbed from a file (YAML or JSON; "-" for standard input), or change the testbed with that id or name.',
      examples: ['testbed set lab.yaml'],
    })
    .argument('<FILE>', 'name the testbed file, in the form that "testbed show" prints')
    .action(
      cli.runs(async ({ api, json, note, print }, path) => {
        const { id, ...body } = await readTestbed(path);
        const known = id ?? (await fetchTestbeds(api)).find(({ name }) => name === body.name)?.testbedId;
        const saved = await (known === undefined
          ? api.call('POST /testbeds', { body })
          : api.call('PUT /testbeds/{id}', { params: { id: known }, body }));
        if (json) print(JSON.stringify(saved));
        else print(`${saved.testbedId}  ${saved.name}: ${countDevices(saved)}`);
        note(known === undefined ? 'It was made.' : 'It was changed.');
        return 0;
      }),
    );

  testbed
    .command('remove', {
      does: 'Remove a testbed that is not in use; its devices stay.',
      examples: ['testbed remove lab'],
    })
    .argument('<ID>', missingId)
    .action(
      cli.runs(async ({ api, note }, id) => {
        await api.call('DELETE /testbeds/{id}', { params: { id } });
        note(`${id} is removed; its devices stay.`);
        return 0;
      }),
    );
}

async function fetchTestbeds(api: Api): Promise<TestbedStatus[]> {
  return (await api.call('GET /testbeds')).items;
}

async function readTestbed(path: string) {
  const parsed = fileSchema.safeParse(await readDocument(path));
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error).map(({ field, reason, remedy }) => `${field}: ${reason}. ${remedy}`);
  throw usageError(`${path} is not a testbed:\n  ${issues.join('\n  ')}`);
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
