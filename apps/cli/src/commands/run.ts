import type { Cli, CommandContext } from '../cli.ts';
import { readText } from '../files.ts';
import { addOutcomeOptions, checkBaseline, concludeExperiment } from '../follow-experiment.ts';
import { withServer } from '../own-server.ts';
import { describeWarnings } from './plan.ts';

export function addRun(cli: Cli): void {
  addOutcomeOptions(
    cli
      .command('run', {
        does: 'Start the experiment in a plan file, follow it and print the comparison.',
        examples: ['run examples/tls-cost.yaml --strict --junit results.xml'],
      })
      .argument('<PLAN.yaml>', 'run needs a plan file (YAML or JSON)'),
  )
    .option('--start-server', 'start a server for this run if none is running, for pipelines')
    .action(
      cli.runs(async (context, file, { startServer = false, ...options }) => {
        const text = await readText(file);
        const start = async (at: CommandContext) => {
          const { check } = await at.api.call('POST /plan/read', { body: { text } });
          await checkBaseline(at, options);
          for (const line of describeWarnings(check.warnings)) at.note(line);
          const { id } = await at.api.call('POST /experiments/import', { body: { text, start: true } });
          at.note(`E-${id} started: ${at.api.server}/experiments/${id}`);
          return concludeExperiment(at, id, options);
        };
        return startServer ? withServer(context, start) : start(context);
      }),
    );
}
