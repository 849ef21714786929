import { UsageError } from '../arguments.ts';
import type { Command } from '../context.ts';
import { renderTable } from '../table.ts';

const statuses = ['all', 'active', 'draft', 'finished'];

export const list: Command = {
  name: 'list',
  summary: 'List experiments.',
  usages: [
    { form: '', does: 'List experiments.', options: [['--status STATUS', 'all, active, draft or finished']] },
  ],
  run: async ({ api, args, print }) => {
    const status = args.status ?? 'all';
    if (!statuses.includes(status)) throw new UsageError(`--status: choose one of ${statuses.join(', ')}`);
    const pages = [];
    for await (const page of api.pages('GET /experiments', { query: { status } })) pages.push(page);
    const items = pages.flatMap((page) => page.items);
    if (args.json) print(JSON.stringify({ ...pages[0], items, next: undefined }));
    else if (items.length === 0) print('No experiments yet. "npm run demo" runs the tour.');
    else {
      const columns = [
        { head: 'Id' },
        { head: 'Status' },
        { head: 'Runs', align: 'right' as const },
        { head: 'Flagged', align: 'right' as const },
        { head: 'Name' },
      ];
      print(
        renderTable(
          columns,
          items.map(({ id, status: now, progress, name }) => [
            `E-${id}`,
            now,
            `${progress.done}/${progress.trials}`,
            String(progress.flagged),
            name === '' ? '(no name)' : name,
          ]),
        ),
      );
    }
    return 0;
  },
};
