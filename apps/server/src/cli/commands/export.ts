import { writeFile } from 'node:fs/promises';
import { parseExperimentId } from '../arguments.ts';
import type { Command } from '../context.ts';
import { UsageError } from '../usage-error.ts';

/** File behind the address of an experiment, by --format. */
const files: Readonly<Record<string, string>> = {
  csv: 'runs.csv',
  json: 'runs.json',
  yaml: 'plan.yaml',
};

export const exportCommand: Command = {
  name: 'export',
  usage: 'export EXPERIMENT [--format csv|json|yaml] [-o FILE]',
  summary: 'Write runs and metrics (csv, json) or the plan (yaml) to standard output or a file.',
  run: async ({ api, args, print, note }) => {
    const id = parseExperimentId(args.positionals[0]);
    const file = files[args.format ?? 'csv'];
    if (!file) throw new UsageError(`--format: choose one of ${Object.keys(files).join(', ')}`);
    const text = await api.text(`/experiments/${id}/${file}`);
    if (args.output === null) print(text.trimEnd());
    else {
      await writeFile(args.output, text).catch((error: Error) => {
        throw new UsageError(`cannot write ${args.output}: ${error.message}`);
      });
      note(`${args.output}: ${text.length} characters`);
    }
    return 0;
  },
};
