import { plural } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { StorageUsage } from '@mqttlab/shared/messages/storage';
import { UsageError } from '../arguments.ts';
import type { Command, CommandContext } from '../context.ts';
import { parseExperimentId } from '../references.ts';
import { renderTable } from '../table.ts';

const gigabyte = 1e9;

export const storage: Command = {
  name: 'storage',
  summary: 'What takes how much of the disk, and how long series and logs are kept.',
  usages: [
    { form: '', does: 'Print what takes how much.' },
    {
      form: 'set',
      does: 'Set how long series and logs are kept, and from which size on there is a warning.',
      options: [
        ['--days N', 'days after the end of a run, or "off": nothing is removed'],
        ['--budget GB', 'gigabytes of the database, or "off": no warning'],
      ],
    },
    { form: 'keep EXPERIMENT', does: 'Keep everything of an experiment, however old it is.' },
    { form: 'release EXPERIMENT', does: 'Treat an experiment as the others again.' },
  ],
  run: async (context) => {
    const { api, args, note } = context;
    const [action, experiment] = args.positionals;
    if (action === 'keep' || action === 'release') {
      const id = parseExperimentId(experiment, `storage ${action}`);
      const keepEverything = action === 'keep';
      await api.call('PATCH /experiments/{id}', { params: { id }, body: { keepEverything } });
      note(`Experiment ${id}: ${keepEverything ? 'everything is kept' : 'kept as the others are'}.`);
      return 0;
    }
    if (action !== undefined && action !== 'set')
      throw new UsageError('write "storage", "storage set", "storage keep" or "storage release"');
    if (action === 'set') await change(context);
    print(context, await api.call('GET /storage'));
    return 0;
  },
};

async function change({ api, args }: CommandContext): Promise<void> {
  const { settings } = await api.call('GET /storage');
  const retentionDays = args.days === null ? settings.retentionDays : numberOf('--days', args.days);
  const budget = args.budget === null ? null : numberOf('--budget', args.budget);
  const budgetBytes = args.budget === null ? settings.budgetBytes : budget && Math.round(budget * gigabyte);
  await api.call('PUT /storage/settings', { body: { retentionDays, budgetBytes } });
}

function numberOf(option: string, text: string): number | null {
  if (text === 'off') return null;
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(`${option}: write a number above 0, or off`);
  return value;
}

function print({ args, print: say, note }: CommandContext, usage: StorageUsage): void {
  if (args.json) {
    say(JSON.stringify(usage));
    return;
  }
  const { settings, parts, experiments } = usage;
  const rows = [
    ...parts.map(({ what, bytes }) => [what, formatBytes(bytes)]),
    ...experiments.map(({ id, name, bytes, keepEverything }) => [
      `of these, E-${id} ${name}${keepEverything ? ' (keeps everything)' : ''}`,
      formatBytes(bytes),
    ]),
  ];
  say(renderTable([{ head: 'What' }, { head: 'Size', align: 'right' }], rows));
  const days = settings.retentionDays;
  note(`Series and logs are kept ${days === null ? 'for ever' : `for ${plural(days, 'day')}`}.`);
  if (usage.overBudget !== undefined) note(usage.overBudget);
}
