import type { Cli } from '../cli.ts';
import { addOutcomeOptions, concludeExperiment } from '../follow-experiment.ts';
import { parseExperimentId } from '../references.ts';

export function addWatch(cli: Cli): void {
  addOutcomeOptions(
    cli
      .command('watch', {
        does: 'Follow an experiment to its end and print the comparison.',
        form: 'EXPERIMENT',
        examples: ['watch E-12'],
      })
      .argument('<EXPERIMENT...>', 'watch needs an experiment; give its number, like 12 or E-12'),
  ).action(
    cli.runs((context, words, options) =>
      concludeExperiment(context, parseExperimentId(words.join(' '), 'watch'), options),
    ),
  );
}
