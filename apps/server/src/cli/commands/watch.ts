import { parseExperimentId } from '../arguments.ts';
import type { Command } from '../context.ts';
import { followExperiment, outcomeCode } from '../follow-experiment.ts';
import { printResult } from '../print-result.ts';

export const watch: Command = {
  name: 'watch',
  summary: 'Follow an experiment to its end.',
  usages: [
    {
      form: 'EXPERIMENT',
      does: 'Follow an experiment to its end, print the comparison.',
      options: [['--strict', 'a flagged run or a threshold not resolved counts as a failure']],
    },
  ],
  run: async (context) => {
    const id = parseExperimentId(context.args.positionals[0]);
    const experiment = await followExperiment(context, id);
    const thresholds = await printResult(context, experiment);
    return outcomeCode(experiment, thresholds, context.args.strict);
  },
};
