import { UsageError } from '../arguments.ts';
import type { Command } from '../context.ts';
import { printComparison, printResult } from '../print-result.ts';
import { printRun } from '../print-run.ts';
import { findNamedRun, parseExperimentId, parseSubject } from '../references.ts';

export const show: Command = {
  name: 'show',
  summary: 'Print an experiment with its comparison, or a run.',
  usages: [
    { form: 'EXPERIMENT', does: 'Print an experiment and its comparison.' },
    { form: 'RUN', does: 'Print a run with its metrics and failed checks: show E-2 run 1' },
  ],
  run: async (context) => {
    const { api, args } = context;
    const subject = parseSubject(args.positionals);
    if (subject.trial !== null) {
      const { id } = await findNamedRun(context, subject);
      printRun(context, await api.call('GET /runs/{id}', { params: { id } }));
      return 0;
    }
    const experiment = await api.wholeExperiment(subject.experiment);
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
    const ids = context.args.positionals.map((text) => parseExperimentId(text, 'compare'));
    if (ids.length === 0) throw new UsageError('compare needs experiments');
    await printComparison(context, ids);
    return 0;
  },
};
