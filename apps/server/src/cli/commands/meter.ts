import { runCode } from '@mqttlab/shared/domain/runs/run';
import { describeGaps, describeIdle, formatQuantity } from '@mqttlab/shared/format/quantity';
import { UsageError } from '../arguments.ts';
import type { Command } from '../context.ts';
import { readText } from '../files.ts';
import { findRun } from '../references.ts';

export const meter: Command = {
  name: 'meter',
  summary: 'Put what a power meter of your own measured beside a run; both are aligned by time.',
  usages: [
    {
      form: 'RUN FILE.csv',
      does: 'Put what a power meter of your own measured beside a run, by its name (E-2 run 1) or id; both are aligned by time.',
      options: [
        ['--role ROLE', 'whose device it measured: broker, publisher, ...'],
        ['--device NAME', 'which one, where several devices played that role'],
        ['--started-at TIME', 'of its first row, where the file counts from 0'],
        ['--ahead-ms N', 'by how much its clock is ahead'],
        ['--name TEXT', 'of the meter, in results'],
      ],
    },
  ],
  run: async (context) => {
    const { api, args, print } = context;
    const words = args.positionals.slice(0, -1);
    const path = args.positionals.at(-1);
    if (!path || words.length === 0) throw new UsageError('name the run and the CSV file of the meter');
    const run = await findRun(context, words);
    if (args.role === null) throw new UsageError('say whose device it measured: --role publisher');
    const text = await readText(path);
    const taken = await api.call('POST /runs/{id}/meter', {
      params: { id: run.id },
      query: {
        role: args.role,
        device: args.device ?? undefined,
        startedAt: args.startedAt === null ? undefined : parseTime(args.startedAt),
        aheadMs: args.aheadMs ?? undefined,
        name: args.name ?? undefined,
      },
      file: text,
      type: 'text/csv',
    });
    if (args.json) print(JSON.stringify(taken));
    else {
      const { samples, fromMs, toMs, measureJ } = taken;
      print(
        `${runCode(run)}, ${taken.role} ${taken.device}: ${formatQuantity(measureJ, 'J')} while measuring` +
          `${describeGaps(taken.gaps)}, ${describeIdle(taken)}; ` +
          `${samples} samples from ${(fromMs / 1000).toFixed(1)} s to ${(toMs / 1000).toFixed(1)} s`,
      );
    }
    return 0;
  },
};

/** Unix ms, or a date and time as ISO 8601 has them. */
function parseTime(text: string): number {
  const time = /^\d{1,16}$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(time)) {
    throw new UsageError(`--started-at: "${text}" is not a time; write it like 2026-11-22T14:05:00`);
  }
  return time;
}
