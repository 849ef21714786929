import { parseExperimentId, UsageError } from '../arguments.ts';
import type { Command } from '../context.ts';
import { printComparison, printResult } from '../print-result.ts';

export const show: Command = {
  name: 'show',
  summary: 'Print an experiment and its comparison.',
  usages: [{ form: 'EXPERIMENT', does: 'Print an experiment and its comparison.' }],
  run: async (context) => {
    const id = parseExperimentId(context.args.positionals[0]);
    const experiment = await context.api.call('GET /experiments/{id}', { params: { id } });
    await printResult(context, experiment);
    return 0;
  },
};

export const compare: Command = {
  name: 'compare',
  summary: 'Compare the treatments of experiments.',
  usages: [
    {
      form: 'EXPERIMENT EXPERIMENT ...',
      does: 'Compare the treatments of experiments.',
      options: [['--response METRIC', 'what is compared; else what the first of them asks about']],
    },
  ],
  run: async (context) => {
    const ids = context.args.positionals.map(parseExperimentId);
    if (ids.length === 0) throw new UsageError('compare needs experiments');
    await printComparison(context, ids);
    return 0;
  },
};
