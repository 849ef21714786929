import type { Command } from '../context.ts';
import { concludeExperiment, outcomeOptions } from '../follow-experiment.ts';
import { parseExperimentId } from '../references.ts';

export const watch: Command = {
  name: 'watch',
  summary: 'Follow an experiment to its end.',
  usages: [
    {
      form: 'EXPERIMENT',
      does: 'Follow an experiment to its end, print the comparison.',
      options: outcomeOptions,
    },
  ],
  run: async (context) => {
    const id = parseExperimentId(context.args.positionals.join(' '), 'watch');
    return await concludeExperiment(context, id);
  },
};
