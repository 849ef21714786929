import { type Cli, usageError } from '../cli.ts';
import { renderTable } from '../terminal.ts';

const statuses = ['all', 'active', 'draft', 'finished'];

const columns = [
  { head: 'Id' },
  { head: 'Status' },
  { head: 'Runs', align: 'right' },
  { head: 'Flagged', align: 'right' },
  { head: 'Name' },
] as const;

export function addList(cli: Cli): void {
  cli
    .command('list', { does: 'List experiments.', examples: ['list --status active'] })
    .option('--status <STATUS>', 'all, active, draft or finished')
    .action(
      cli.runs(async ({ api, json, print }, { status = 'all' }) => {
        if (!statuses.includes(status)) {
          throw usageError(`--status: choose one of ${statuses.join(', ')}`);
        }
        const pages = [];
        for await (const page of api.pages('GET /experiments', { query: { status } })) pages.push(page);
        const items = pages.flatMap((page) => page.items);
        if (json) print(JSON.stringify({ ...pages[0], items, next: undefined }));
        else if (items.length === 0) print('No experiments yet. "npm run demo" runs the tour.');
        else {
          const rows = items.map(({ id, status: now, progress, name }) => [
            `E-${id}`,
            now,
            `${progress.done}/${progress.trials}`,
            String(progress.flagged),
            name === '' ? '(no name)' : name,
          ]);
          print(renderTable(columns, rows));
        }
        return 0;
      }),
    );
}
