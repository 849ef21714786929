import { runCode } from '@mqttlab/shared/domain/runs/run';
import { describeGaps, describeIdle, formatQuantity } from '@mqttlab/shared/format/quantity';
import { type Cli, usageError } from '../cli.ts';
import { readText } from '../files.ts';
import { findRun } from '../references.ts';

export function addMeter(cli: Cli): void {
  cli
    .command('meter', {
      does: 'Add the measurements of a power meter to a run, aligned by time. Give the name of the run (E-2 run 1) or its id.',
      form: 'RUN FILE.csv',
      examples: ['meter E-2 run 1 otii.csv --role publisher'],
    })
    .argument('<RUN_AND_FILE...>', 'name the run and the CSV file from the meter')
    .option('--role <ROLE>', 'role of the measured device: broker, publisher, ...')
    .option('--device <NAME>', 'the device, if several devices had that role')
    .option('--started-at <TIME>', 'time of the first row, if the file counts from 0')
    .option('--ahead-ms <N>', "how far ahead the meter's clock is")
    .option('--name <TEXT>', 'name of the meter in results')
    .action(
      cli.runs(async (context, words, { role, device, startedAt, aheadMs, name }) => {
        const { api, json, print } = context;
        const path = words.at(-1);
        if (path === undefined || words.length === 1) {
          throw usageError('name the run and the CSV file from the meter');
        }
        const run = await findRun(context, words.slice(0, -1));
        if (role === undefined) throw usageError('name the role of the measured device: --role publisher');
        const added = await api.call('POST /runs/{id}/meter', {
          params: { id: run.id },
          query: {
            role,
            device,
            startedAt: startedAt === undefined ? undefined : parseTime(startedAt),
            aheadMs,
            name,
          },
          file: await readText(path),
          type: 'text/csv',
        });
        if (json) {
          print(JSON.stringify(added));
          return 0;
        }
        const { samples, fromMs, toMs, measureJ } = added;
        print(
          `${runCode(run)}, ${added.role} ${added.device}: ${formatQuantity(measureJ, 'J')} while measuring` +
            `${describeGaps(added.gaps)}, ${describeIdle(added)}; ` +
            `${samples} samples from ${(fromMs / 1000).toFixed(1)} s to ${(toMs / 1000).toFixed(1)} s`,
        );
        return 0;
      }),
    );
}

/** Parses a time in Unix ms, or a date and time in ISO 8601. */
function parseTime(text: string): number {
  const time = /^\d{1,16}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(time)) {
    throw usageError(`--started-at: "${text}" is not a time; use the form 2026-11-22T14:05:00`);
  }
  return time;
}
