import { createToken } from '@mqttlab/server/data-folder';
import type { Cli } from '../cli.ts';
import { parseAccessRole } from '../references.ts';
import { withDataFolder } from './backup.ts';

/**
 * Opens the data folder directly, because a server that other machines can reach needs a token before it
 * starts.
 */
export function addToken(cli: Cli): void {
  cli
    .group('token', { does: 'Create an API token in MQTTLAB_DATA.', refusal: 'write "token create"' })
    .command('create', {
      does: 'Create an API token in MQTTLAB_DATA; its secret is shown only once.',
      examples: ['token create ci --role operator'],
    })
    .argument('[NAME]')
    .option('--role <ROLE>', 'administrator (default), operator or viewer')
    .action(
      cli.runs((context, name = 'command line', { role: written = 'administrator' }) => {
        const role = parseAccessRole(written, '--role');
        return withDataFolder(context, async (folder) => {
          const { json, note, print } = context;
          const secret = createToken(folder, { name, role });
          print(json ? JSON.stringify({ name, role, secret }) : secret);
          if (!json) note(`This token has the role ${role}. Keep it: it is not shown again.`);
        });
      }),
    );
}
