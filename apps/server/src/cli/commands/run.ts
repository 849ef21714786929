import { UsageError } from '../arguments.ts';
import type { Command, CommandContext } from '../context.ts';
import { readText } from '../files.ts';
import { concludeExperiment, outcomeOptions } from '../follow-experiment.ts';
import { withServer } from '../own-server.ts';
import { describeWarnings } from './plan.ts';

export const run: Command = {
  name: 'run',
  summary: 'Start the experiment of a plan file, follow it, print the comparison.',
  usages: [
    {
      form: 'PLAN.yaml',
      does: 'Start the experiment of a plan file, follow it, print the comparison.',
      options: [...outcomeOptions, ['--start-server', 'for this run, where none is running: for pipelines']],
    },
  ],
  run: async (context) => {
    const [file] = context.args.positionals;
    if (!file) throw new UsageError('run needs a plan file (YAML or JSON)');
    const text = await readText(file);
    const start = async (at: CommandContext) => {
      const { check } = await at.api.call('POST /plan/read', { body: { text } });
      for (const line of describeWarnings(check.warnings)) at.note(line);
      const { id } = await at.api.call('POST /experiments/import', { body: { text, start: true } });
      at.note(`E-${id} started: ${at.api.server}/experiments/${id}`);
      return concludeExperiment(at, id);
    };
    return context.args.startServer ? withServer(context, start) : start(context);
  },
};
