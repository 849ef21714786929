import type { Command, CommandContext, ExitCode } from '../context.ts';
import { exportProtocol, importProtocol, saveProtocol } from '../protocols/files.ts';
import { listProtocols } from '../protocols/list.ts';
import { runProtocol } from '../protocols/run.ts';
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
  usage:
    'protocol list | run ID --scale smoke|bench|full [--part PART] | save EXPERIMENT TITLE | export ID [-o FILE] | import FILE',
  summary: 'List the published studies and your own protocols, run one, or share one as a file.',
  run: (context) => {
    const [action = '', first] = context.args.positionals;
    const act = actions[action];
    if (act && (first !== undefined || action === 'list')) return act(context, first ?? '');
    throw new UsageError(
      'protocol needs "list", or "run", "save", "export" or "import" and what to do it with',
    );
  },
};
