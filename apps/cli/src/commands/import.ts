import { noticesOf } from '@mqttlab/shared/domain/runs/import-marks';
import type { Cli } from '../cli.ts';
import { readBytes } from '../files.ts';

export function addImport(cli: Cli): void {
  cli
    .command('import', {
      does: 'Import a research bundle; checksums, signature and figures are verified.',
      examples: ['import E-2-bundle.zip'],
    })
    .argument('<BUNDLE.zip>', 'import needs a bundle written by "export --bundle"')
    .option(
      '--accept-altered',
      'import the bundle even if figures differ from its evidence, and mark it as altered',
    )
    .action(
      cli.runs(async ({ api, json, print, note }, path, { acceptAltered = false }) => {
        const bytes = await readBytes(path);
        const experiment = await api.call('POST /experiments/import-bundle', {
          file: new Blob([bytes]),
          query: { altered: acceptAltered ? 'accept' : 'refuse' },
        });
        const { id, name, imported, progress } = experiment;
        if (json) print(JSON.stringify(experiment));
        else print(`E-${id} ${name}: ${progress.done} runs, ${imported?.from ?? 'imported'}`);
        for (const { sentence } of noticesOf(imported)) note(sentence);
        note(`${api.server}/experiments/${id}/report`);
        return 0;
      }),
    );
}
