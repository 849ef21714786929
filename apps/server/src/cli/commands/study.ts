import type { Command, CommandContext, ExitCode } from '../context.ts';
import { strictOption } from '../follow-experiment.ts';
import { exportProtocol, importProtocol, saveProtocol } from '../studies/files.ts';
import { listProtocols } from '../studies/list.ts';
import { runProtocol } from '../studies/run.ts';
import { UsageError } from '../usage-error.ts';

const actions: Readonly<Record<string, (context: CommandContext, first: string) => Promise<ExitCode>>> = {
  list: (context) => listProtocols(context),
  run: runProtocol,
  save: saveProtocol,
  export: exportProtocol,
  import: importProtocol,
};

export const protocol: Command = {
  name: 'protocol',
  summary: 'List the published studies and your own protocols, run one, or share one as a file.',
  usages: [
    { form: 'list', does: 'List the published studies and your own protocols, part by part.' },
    {
      form: 'run ID',
      does: 'Run one, and follow it.',
      options: [
        ['--scale SCALE', 'smoke (where nothing is said), bench or full'],
        ['--part PART', 'only this one'],
        strictOption,
      ],
    },
    { form: 'save EXPERIMENT TITLE', does: 'Make a protocol of an experiment.' },
    {
      form: 'export ID',
      does: 'Write one as YAML.',
      options: [['-o FILE', 'into a file; else to standard output']],
    },
    { form: 'import FILE', does: 'Take in a protocol that somebody exported.' },
  ],
  run: (context) => {
    const [action = '', first] = context.args.positionals;
    const act = actions[action];
    if (act && (first !== undefined || action === 'list')) return act(context, first ?? '');
    throw new UsageError(
      'protocol needs "list", or "run", "save", "export" or "import" and what to do it with',
    );
  },
};
