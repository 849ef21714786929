import { parseExperimentId } from '../arguments.ts';
import type { Command } from '../context.ts';
import { printResult } from '../print-result.ts';

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
