import { plural } from '@mqttlab/shared/format/number';
import { formatBytes } from '@mqttlab/shared/format/quantity';
import type { StorageUsage } from '@mqttlab/shared/messages/storage';
import { type Cli, type CommandContext, usageError } from '../cli.ts';
import { parseExperimentId } from '../references.ts';
import { renderTable } from '../terminal.ts';

const gigabyte = 1e9;

export function addStorage(cli: Cli): void {
  const storage = cli.group('storage', {
    does: 'Show disk space by content, and set how long series and logs are stored.',
    refusal: 'write "storage", "storage set", "storage keep" or "storage release"',
  });

  storage.itself({ does: 'Print the disk space by content.', examples: ['storage'] }).action(
    cli.runs(async (context) => {
      printUsage(context, await context.api.call('GET /storage'));
      return 0;
    }),
  );

  storage
    .command('set', {
      does: 'Set how long series and logs are stored, and the size that triggers a warning.',
      examples: ['storage set --days 90 --budget 20', 'storage set --days off'],
    })
    .option('--days <N>', 'days after the end of a run, or "off" to remove nothing')
    .option('--budget <GB>', 'database size in gigabytes, or "off" for no warning')
    .action(
      cli.runs(async (context, { days, budget }) => {
        const { api } = context;
        const { settings } = await api.call('GET /storage');
        const retentionDays = days === undefined ? settings.retentionDays : parseLimit('--days', days);
        const limit = budget === undefined ? null : parseLimit('--budget', budget);
        const budgetBytes =
          budget === undefined ? settings.budgetBytes : limit && Math.round(limit * gigabyte);
        await api.call('PUT /storage/settings', { body: { retentionDays, budgetBytes } });
        printUsage(context, await api.call('GET /storage'));
        return 0;
      }),
    );

  for (const { name, does } of [
    { name: 'keep', does: 'Keep all data of an experiment without a time limit.' },
    { name: 'release', does: 'Apply the usual time limit to an experiment again.' },
  ]) {
    storage
      .command(name, { does, examples: [`storage ${name} E-12`] })
      .argument('<EXPERIMENT>', `storage ${name} needs an experiment; give its number, like 12 or E-12`)
      .action(
        cli.runs(async ({ api, note }, experiment) => {
          const id = parseExperimentId(experiment, `storage ${name}`);
          const keepEverything = name === 'keep';
          await api.call('PATCH /experiments/{id}', { params: { id }, body: { keepEverything } });
          note(
            `Experiment ${id}: ${keepEverything ? 'everything is kept' : 'the usual time limit applies'}.`,
          );
          return 0;
        }),
      );
  }
}

/** Parses a number above 0; returns null for "off". */
function parseLimit(option: string, text: string): number | null {
  if (text === 'off') return null;
  const value = Number(text);
  if (!(value > 0)) throw usageError(`${option}: write a number above 0, or off`);
  return value;
}

function printUsage({ json, print, note }: CommandContext, usage: StorageUsage): void {
  if (json) {
    print(JSON.stringify(usage));
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
  print(renderTable([{ head: 'What' }, { head: 'Size', align: 'right' }], rows));
  const days = settings.retentionDays;
  note(`Series and logs are kept ${days === null ? 'forever' : `for ${plural(days, 'day')}`}.`);
  if (usage.overBudget !== undefined) note(usage.overBudget);
}
