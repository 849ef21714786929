import { parseExperimentId } from '../arguments.ts';
import type { Command } from '../context.ts';
import { writeOutput } from '../files.ts';
import { UsageError } from '../usage-error.ts';

/** File behind the address of an experiment, by --format. */
const files: Readonly<Record<string, string>> = {
  csv: 'runs.csv',
  json: 'runs.json',
  yaml: 'plan.yaml',
  html: 'report.html',
};

export const exportCommand: Command = {
  name: 'export',
  summary: 'Write runs (csv, json), plan (yaml), report (html), or all of it as a research bundle.',
  usages: [
    {
      form: 'EXPERIMENT',
      does: 'Write runs (csv, json), plan (yaml), report (html), or all of it as a research bundle.',
      options: [
        ['--format FORMAT', 'csv (where nothing is said), json, yaml or html'],
        ['--bundle', 'everything, in a zip that another mqttlab opens'],
        ['-o FILE', 'into a file; else to standard output (a bundle: E-NUMBER-bundle.zip)'],
      ],
    },
  ],
  run: async ({ api, args, print, note }) => {
    const id = parseExperimentId(args.positionals[0]);
    if (args.bundle) {
      const path = args.output ?? `E-${id}-bundle.zip`;
      const bytes = await api.bytes(`/experiments/${id}/bundle.zip`);
      await writeOutput(path, bytes);
      note(`${path}: ${bytes.length} bytes`);
      return 0;
    }
    const file = files[args.format ?? 'csv'];
    if (!file) throw new UsageError(`--format: choose one of ${Object.keys(files).join(', ')}`);
    const text = await api.text(`/experiments/${id}/${file}`);
    if (args.output === null) print(text.trimEnd());
    else {
      await writeOutput(args.output, text);
      note(`${args.output}: ${text.length} characters`);
    }
    return 0;
  },
};
