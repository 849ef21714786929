import type { Cli } from '../cli.ts';
import { writeOutput } from '../files.ts';

export function addSupport(cli: Cli): void {
  cli
    .command('support', {
      does: 'Write a support file without secrets: versions, names of settings, sizes and the end of the log.',
      examples: ['support -o support.json'],
    })
    .option('-o, --output <FILE>', 'the file (default: mqttlab-support.json)')
    .action(
      cli.runs(async ({ api, note }, { output = 'mqttlab-support.json' }) => {
        await writeOutput(output, await (await api.file('GET /support.json')).text());
        note(`${output}: read it before you share it.`);
        return 0;
      }),
    );
}
