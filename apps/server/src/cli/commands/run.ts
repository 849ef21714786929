import { UsageError } from '../arguments.ts';
import type { Command } from '../context.ts';
import { readText } from '../files.ts';
import { concludeExperiment, outcomeOptions } from '../follow-experiment.ts';

export const run: Command = {
  name: 'run',
  summary: 'Start the experiment of a plan file, follow it, print the comparison.',
  usages: [
    {
      form: 'PLAN.yaml',
      does: 'Start the experiment of a plan file, follow it, print the comparison.',
      options: outcomeOptions,
    },
  ],
  run: async (context) => {
    const [file] = context.args.positionals;
    if (!file) throw new UsageError('run needs a plan file (YAML or JSON)');
    const text = await readText(file);
    const { id } = await context.api.call('POST /experiments/import', { body: { text, start: true } });
    context.note(`E-${id} started: ${context.api.server}/experiments/${id}`);
    return await concludeExperiment(context, id);
  },
};
