import { describeGaps, describeIdle, formatQuantity } from '@mqttlab/shared/format/quantity';
import { UsageError } from '../arguments.ts';
import type { Command } from '../context.ts';
import { readText } from '../files.ts';

export const meter: Command = {
  name: 'meter',
  summary: 'Put what a power meter of your own measured beside a run; both are aligned by time.',
  usages: [
    {
      form: 'RUN FILE.csv',
      does: 'Put what a power meter of your own measured beside a run; both are aligned by time.',
      options: [
        ['--role ROLE', 'whose device it measured: broker, publisher, ...'],
        ['--device NAME', 'which one, where several devices played that role'],
        ['--started-at TIME', 'of its first row, where the file counts from 0'],
        ['--ahead-ms N', 'by how much its clock is ahead'],
        ['--name TEXT', 'of the meter, in results'],
      ],
    },
  ],
  run: async ({ api, args, print }) => {
    const [id, path] = args.positionals;
    if (!/^\d{1,9}$/.test(id ?? '')) throw new UsageError(`"${id ?? ''}" is not a run; give its number`);
    if (!path) throw new UsageError('name the CSV file of the meter');
    if (args.role === null) throw new UsageError('say whose device it measured: --role publisher');
    const text = await readText(path);
    const taken = await api.call('POST /runs/{id}/meter', {
      params: { id: Number(id) },
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
        `Run ${id}, ${taken.role} ${taken.device}: ${formatQuantity(measureJ, 'J')} while measuring` +
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
