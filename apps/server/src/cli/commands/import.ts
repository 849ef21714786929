import { alteredWords } from '@mqttlab/shared/domain/runs/run';
import { UsageError } from '../arguments.ts';
import type { Command } from '../context.ts';
import { readBytes } from '../files.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Import a research bundle; checksums, signature and figures are verified.',
  usages: [
    {
      form: 'BUNDLE.zip',
      does: 'Import a research bundle; checksums, signature and figures are verified.',
      options: [
        ['--accept-altered', 'import it also if figures differ from its evidence, and mark it as altered'],
      ],
    },
  ],
  run: async ({ api, args, print, note }) => {
    const [path] = args.positionals;
    if (!path) throw new UsageError('import needs a bundle, as "export --bundle" wrote it');
    const bytes = await readBytes(path);
    const experiment = await api.call('POST /experiments/import-bundle', {
      file: new Blob([bytes]),
      query: { altered: args.acceptAltered ? 'accept' : 'refuse' },
    });
    const { id, name, imported, progress } = experiment;
    if (args.json) print(JSON.stringify(experiment));
    else print(`E-${id} ${name}: ${progress.done} runs, ${imported?.from ?? 'imported'}`);
    if (imported?.altered) note(alteredWords(imported.altered));
    note(`${api.server}/experiments/${id}/report`);
    return 0;
  },
};
