import { entryOf } from '@mqttlab/shared/domain/bounds';
import { UsageError } from '../arguments.ts';
import type { Command, CommandContext, ExitCode } from '../context.ts';
import { outcomeOptions } from '../follow-experiment.ts';
import { exportStudy, importStudy, saveStudy } from '../studies/files.ts';
import { listStudies } from '../studies/list.ts';
import { runStudy } from '../studies/run.ts';
import { showStudy } from '../studies/show.ts';

const actions: Readonly<Record<string, (context: CommandContext, first: string) => Promise<ExitCode>>> = {
  list: (context) => listStudies(context),
  run: runStudy,
  show: showStudy,
  save: saveStudy,
  export: exportStudy,
  import: importStudy,
};

export const study: Command = {
  name: 'study',
  summary: 'List the published studies and your own studies, run one, or share one as a file.',
  usages: [
    { form: 'list', does: 'List the published studies and your own studies, part by part.' },
    {
      form: 'run ID',
      does: 'Run one, and follow it.',
      options: [
        ['--scale SCALE', 'smoke (where nothing is said), bench or full'],
        ['--part PART', 'only this one'],
        outcomeOptions[0],
      ],
    },
    { form: 'show ID', does: 'Print the claims of a study as its last run here answers them.' },
    { form: 'save EXPERIMENT TITLE', does: 'Make a study of an experiment.' },
    {
      form: 'export ID',
      does: 'Write one as YAML.',
      options: [['-o FILE', 'into a file; else to standard output']],
    },
    { form: 'import FILE', does: 'Import a study that somebody exported.' },
  ],
  run: (context) => {
    const [action = '', first] = context.args.positionals;
    const act = entryOf(actions, action);
    if (act && (first !== undefined || action === 'list')) return act(context, first ?? '');
    throw new UsageError(
      'study needs "list", or "run", "show", "save", "export" or "import" and what to do it with',
    );
  },
};
