import type { Command, CommandContext, ExitCode } from '../context.ts';
import { concludeExperiment, outcomeOptions } from '../follow-experiment.ts';
import { withServer } from '../own-server.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'Run the tour experiment, on a server of its own when none is running.',
  usages: [
    {
      form: '',
      does: 'Run the tour experiment, on a server of its own when none is running.',
      options: outcomeOptions,
    },
  ],
  run: (context) => withServer(context, runTour),
};

async function runTour(context: CommandContext, { stays }: { stays: boolean }): Promise<ExitCode> {
  const { api, args, note, print } = context;
  const startedAt = Date.now();
  const { id, progress } = await api.call('POST /tour');
  note(`E-${id} started: ${progress.trials} runs on this machine`);
  const code = await concludeExperiment(context, id);
  const share = await api.call('POST /shares', { body: { kind: 'experiment', experimentId: id } });
  if (!args.json) {
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
