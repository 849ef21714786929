import { parseExperimentId, UsageError } from '../arguments.ts';
import type { Command } from '../context.ts';
import { writeOutput } from '../files.ts';

/** File behind the address of an experiment, by --format. */
const files = { csv: 'runs.csv', json: 'runs.json', yaml: 'plan.yaml', html: 'report.html' } as const;

const isFormat = (text: string): text is keyof typeof files => Object.hasOwn(files, text);

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
  ],
  run: async ({ api, args, print, note }) => {
    const id = parseExperimentId(args.positionals[0]);
    const packets = args.keyLogs ? 'captures and keys' : args.captures ? 'captures' : 'none';
    if (packets !== 'none' && !args.bundle) {
      throw new UsageError('--captures and --key-logs go into a bundle: add --bundle');
    }
    if (args.bundle) {
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
    const format = args.format ?? 'csv';
    if (!isFormat(format)) throw new UsageError(`--format: choose one of ${Object.keys(files).join(', ')}`);
    const text = await (await api.file(`GET /experiments/{id}/${files[format]}`, { params: { id } })).text();
    if (args.output === null) print(text.trimEnd());
    else {
      await writeOutput(args.output, text);
      note(`${args.output}: ${text.length} characters`);
    }
    return 0;
  },
};
