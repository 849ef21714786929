import { experimentDetailSchema } from '@mqttlab/shared/domain/experiment';
import type { Command } from '../context.ts';
import { readText } from '../files.ts';
import { followExperiment, outcomeCode } from '../follow-experiment.ts';
import { printResult } from '../print-result.ts';
import { UsageError } from '../usage-error.ts';

export const run: Command = {
  name: 'run',
  summary: 'Start the experiment of a plan file, follow it, print the comparison.',
  usages: [
    {
      form: 'PLAN.yaml',
      does: 'Start the experiment of a plan file, follow it, print the comparison.',
      options: [['--strict', 'a flagged run or a threshold not resolved counts as a failure']],
    },
  ],
  run: async (context) => {
    const [file] = context.args.positionals;
    if (!file) throw new UsageError('run needs a plan file (YAML or JSON), as exported by the wizard');
    const text = await readText(file);
    const { id } = await context.api.call({
      method: 'POST',
      path: '/experiments/import',
      body: { text, start: true },
      response: experimentDetailSchema,
    });
    context.note(`E-${id} started: ${context.api.server}/experiments/${id}`);
    const experiment = await followExperiment(context, id);
    const thresholds = await printResult(context, experiment);
    return outcomeCode(experiment, thresholds, context.args.strict);
  },
};
