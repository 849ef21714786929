import type { Reference } from '@mqttlab/shared/domain/runs/reference';
import { type Cli, type CommandContext, usageError } from '../cli.ts';
import { writeOutput } from '../files.ts';
import { findNamedRun, parseExperimentId, parseSubject } from '../references.ts';

/** Files of an experiment in the API, by --format. */
const files = { csv: 'runs.csv', json: 'runs.json', yaml: 'plan.yaml', html: 'report.html' } as const;

const isFormat = (text: string): text is keyof typeof files => Object.hasOwn(files, text);

/** Files of a run in the API, by --format. */
const runFiles = { csv: 'raw.csv', json: 'raw.json' } as const;

const isRunFormat = (text: string): text is keyof typeof runFiles => Object.hasOwn(runFiles, text);

export function addExport(cli: Cli): void {
  cli
    .command('export', {
      does: 'Export the runs (csv, json), plan (yaml) or report (html) of an experiment, or the complete experiment as a research bundle. For a run, export its series (csv) or all its data (json).',
      form: 'EXPERIMENT|RUN',
      examples: [
        'export E-2 -o runs.csv',
        'export E-2 --bundle --captures',
        'export E-2 run 1 --format json',
      ],
    })
    .argument('<EXPERIMENT|RUN...>', 'name an experiment, like E-12, or a run, like "E-12, run 3"')
    .option('--format <FORMAT>', 'csv (default), json, yaml or html; csv or json for a run')
    .option('--bundle', 'the complete experiment as a zip file that another mqttlab can import')
    .option('--captures', 'include the packet captures of the runs in the bundle')
    .option('--key-logs', 'include the captures and the secret TLS keys that decrypt them in the bundle')
    .option(
      '-o, --output <FILE>',
      'write to a file (default: standard output; E-NUMBER-bundle.zip for a bundle)',
    )
    .action(
      cli.runs(async (context, words, options) => {
        const { note, print } = context;
        const { bundle, captures, keyLogs, format = 'csv', output } = options;
        if ((captures || keyLogs) && !bundle) {
          throw usageError('--captures and --key-logs need --bundle: only a bundle can contain them');
        }
        if (bundle) {
          const packets = keyLogs ? 'captures and keys' : captures ? 'captures' : 'none';
          await writeBundle(context, {
            id: parseExperimentId(words.join(' '), 'export --bundle'),
            packets,
            output,
          });
          return 0;
        }
        const text = await readExport(context, parseSubject(words), format);
        if (output === undefined) print(text.trimEnd());
        else {
          await writeOutput(output, text);
          note(`${output}: ${text.length} characters`);
        }
        return 0;
      }),
    );
}

async function writeBundle(
  { api, note }: CommandContext,
  { id, packets, output }: { id: number; packets: string; output: string | undefined },
): Promise<void> {
  const path = output ?? `E-${id}-bundle.zip`;
  const file = await api.file('GET /experiments/{id}/bundle.zip', { params: { id }, query: { packets } });
  const bytes = new Uint8Array(await file.arrayBuffer());
  await writeOutput(path, bytes);
  note(`${path}: ${bytes.length} bytes`);
}

/** Throws a usage error if an experiment or run has no file in this format. */
async function readExport(context: CommandContext, subject: Reference, format: string): Promise<string> {
  const { api } = context;
  if (!isFormat(format)) throw usageError(`--format: choose one of ${Object.keys(files).join(', ')}`);
  if (subject.trial === null) {
    const params = { id: subject.experiment };
    return (await api.file(`GET /experiments/{id}/${files[format]}`, { params })).text();
  }
  if (!isRunFormat(format)) throw usageError('--format: for a run, choose csv or json');
  const { id } = await findNamedRun(context, subject);
  return (await api.file(`GET /runs/{id}/${runFiles[format]}`, { params: { id } })).text();
}
