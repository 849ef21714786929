import type { ExitCode } from '@mqttlab/shared/domain/exit-codes';
import type { Cli, CommandContext } from '../cli.ts';
import {
  addOutcomeOptions,
  checkBaseline,
  concludeExperiment,
  type OutcomeOptions,
} from '../follow-experiment.ts';
import { withServer } from '../own-server.ts';

export function addDemo(cli: Cli): void {
  addOutcomeOptions(
    cli.command('demo', {
      does: 'Run the tour experiment, on a temporary server if none is running.',
      examples: ['demo'],
    }),
  ).action(
    cli.runs((context, options) => withServer(context, (at, { stays }) => runTour(at, { options, stays }))),
  );
}

async function runTour(
  context: CommandContext,
  { options, stays }: { options: OutcomeOptions; stays: boolean },
): Promise<ExitCode> {
  const { api, json, note, print } = context;
  await checkBaseline(context, options);
  const startedAt = Date.now();
  const { id, progress } = await api.call('POST /tour');
  note(`E-${id} started: ${progress.trials} runs on this machine`);
  const code = await concludeExperiment(context, id, options);
  const share = await api.call('POST /shares', { body: { kind: 'experiment', experimentId: id } });
  if (!json) {
    print('');
    print(
      `Took ${((Date.now() - startedAt) / 1000).toFixed(1)} s. ${stays ? 'Open' : 'After "npm start", open'}:`,
    );
    print(`  experiment  ${api.server}/experiments/${id}`);
    print(`  comparison  ${api.server}/compare?experiments=${id}`);
    print(`  share link  ${api.server}${share.path}`);
  }
  return code;
}
