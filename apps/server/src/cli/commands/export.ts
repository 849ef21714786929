import type { Reference } from '@mqttlab/shared/domain/runs/reference';
import { UsageError } from '../arguments.ts';
import type { Command, CommandContext } from '../context.ts';
import { writeOutput } from '../files.ts';
import { findNamedRun, parseExperimentId, parseSubject } from '../references.ts';

/** File behind the address of an experiment, by --format. */
const files = { csv: 'runs.csv', json: 'runs.json', yaml: 'plan.yaml', html: 'report.html' } as const;

const isFormat = (text: string): text is keyof typeof files => Object.hasOwn(files, text);

/** File behind the address of a run, by --format. */
const runFiles = { csv: 'raw.csv', json: 'raw.json' } as const;

const isRunFormat = (text: string): text is keyof typeof runFiles => Object.hasOwn(runFiles, text);

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
        ['--captures', 'with the packet captures of its runs (a bundle)'],
        ['--key-logs', 'with the captures and the TLS keys that open them, a secret (a bundle)'],
        ['-o FILE', 'into a file; else to standard output (a bundle: E-NUMBER-bundle.zip)'],
      ],
    },
    {
      form: 'RUN',
      does: 'Write the series (csv) or everything (json) of a run: export E-2 run 1',
      options: [
        ['--format FORMAT', 'csv (the default) or json'],
        ['-o FILE', 'into a file instead of standard output'],
      ],
    },
  ],
  run: async (context) => {
    const { api, args, print, note } = context;
    const packets = args.keyLogs ? 'captures and keys' : args.captures ? 'captures' : 'none';
    if (packets !== 'none' && !args.bundle) {
      throw new UsageError('--captures and --key-logs go into a bundle: add --bundle');
    }
    if (args.bundle) {
      const id = parseExperimentId(args.positionals.join(' '), 'export --bundle');
      const path = args.output ?? `E-${id}-bundle.zip`;
      const bytes = new Uint8Array(
        await (
          await api.file('GET /experiments/{id}/bundle.zip', { params: { id }, query: { packets } })
        ).arrayBuffer(),
      );
      await writeOutput(path, bytes);
      note(`${path}: ${bytes.length} bytes`);
      return 0;
    }
    const text = await readFileOf(context, parseSubject(args.positionals));
    if (args.output === null) print(text.trimEnd());
    else {
      await writeOutput(args.output, text);
      note(`${args.output}: ${text.length} characters`);
    }
    return 0;
  },
};

/** Reads the file of an experiment or run in the format of --format. Throws UsageError if there is no such format. */
async function readFileOf(context: CommandContext, subject: Reference): Promise<string> {
  const { api, args } = context;
  const format = args.format ?? 'csv';
  if (!isFormat(format)) throw new UsageError(`--format: choose one of ${Object.keys(files).join(', ')}`);
  if (subject.trial === null) {
    const params = { id: subject.experiment };
    return (await api.file(`GET /experiments/{id}/${files[format]}`, { params })).text();
  }
  if (!isRunFormat(format)) throw new UsageError('--format: choose for the file of a run: csv or json');
  const { id } = await findNamedRun(context, subject);
  return (await api.file(`GET /runs/{id}/${runFiles[format]}`, { params: { id } })).text();
}
