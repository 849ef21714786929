import { restoreBackup } from '@mqttlab/server/data-folder';
import type { Cli } from '../cli.ts';
import { passphraseOption, readPassphrase, withDataFolder } from './backup.ts';

export function addRestore(cli: Cli): void {
  cli
    .command('restore', {
      does: 'Create the folder MQTTLAB_DATA from a backup.',
      examples: ['restore lab.backup'],
    })
    .argument('<FILE>', 'restore needs a file')
    .option('--with-keys', 'also restore the private keys, if the backup contains them')
    .option(...passphraseOption)
    .action(
      cli.runs((context, file, options) =>
        withDataFolder(context, async (folder) => {
          const { note } = context;
          const passphrase = readPassphrase(context, options);
          const { todo, hasMoreKeys } = await restoreBackup(file, folder, passphrase);
          note(`${file} was restored to ${folder}. Start the server with the same MQTTLAB_DATA.`);
          if (hasMoreKeys) note('The backup also contains the private keys: "--with-keys" restores them.');
          if (todo.length > 0) note('The server creates new keys at its next start:');
          for (const sentence of todo) note(`- ${sentence}`);
        }),
      ),
    );
}
