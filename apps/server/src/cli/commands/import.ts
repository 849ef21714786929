import { readFile } from 'node:fs/promises';
import { UsageError } from '../arguments.ts';
import type { Command } from '../context.ts';

export const importCommand: Command = {
  name: 'import',
  summary: 'Import a research bundle; checksums and signature are verified.',
  usages: [{ form: 'BUNDLE.zip', does: 'Import a research bundle; checksums and signature are verified.' }],
  run: async ({ api, args, print, note }) => {
    const [path] = args.positionals;
    if (!path) throw new UsageError('import needs a bundle, as "export --bundle" wrote it');
    const bytes = await readFile(path).catch((error: Error) => {
      throw new UsageError(`cannot read ${path}: ${error.message}`);
    });
    const experiment = await api.call('POST /experiments/import-bundle', { file: new Blob([bytes]) });
    const { id, name, imported, progress } = experiment;
    if (args.json) print(JSON.stringify(experiment));
    else print(`E-${id} ${name}: ${progress.done} runs, ${imported?.from ?? 'imported'}`);
    note(`${api.server}/experiments/${id}/report`);
    return 0;
  },
};
