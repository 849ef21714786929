import { readFileSync } from 'node:fs';
import { parseConfig } from '../../base/config.ts';
import { StartError } from '../../base/errors.ts';
import { findProject } from '../../base/project.ts';
import { restoreBackup, writeBackup } from '../../store/backup.ts';
import { type CliArguments, UsageError } from '../arguments.ts';
import type { Command, CommandContext } from '../context.ts';

const passphraseOption = [
  '--passphrase-file FILE',
  'file with the passphrase; else MQTTLAB_BACKUP_PASSPHRASE',
] as const;

/** Both use the data folder itself; a backup also while a server uses it. */
export function makeBackupCommands(environment: NodeJS.ProcessEnv): Command[] {
  const folderCommand = (
    { name, does, withKeys }: { name: string; does: string; withKeys: string },
    work: (file: string, folder: string, passphrase: string | null, context: CommandContext) => Promise<void>,
  ): Command => ({
    name,
    summary: does,
    usages: [{ form: 'FILE', does, options: [['--with-keys', withKeys], passphraseOption] }],
    run: async (context) => {
      const { args, note } = context;
      const [file] = args.positionals;
      if (!file) throw new UsageError(`${name} needs a file`);
      const { dataFolder } = parseConfig(environment, findProject());
      try {
        await work(file, dataFolder, readPassphrase(args, environment), context);
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        note(`mqttlab: ${error.message} ${error.remedy}`);
        return 1;
      }
      return 0;
    },
  });
  return [
    folderCommand(
      {
        name: 'backup',
        does: 'Write MQTTLAB_DATA into one file, also while the server runs; private keys are left out.',
        withKeys: 'with the private keys, encrypted with a passphrase',
      },
      async (file, folder, passphrase, { note }) => {
        await writeBackup(folder, file, passphrase);
        note(`${file}, ${folder}: backed up.`);
        note(
          passphrase === null
            ? 'Without private keys: after a restore the server makes new ones, and passwords of brokers and secrets of webhooks are entered again. "--with-keys" includes them.'
            : 'With the private keys, encrypted. They cannot be restored without the passphrase.',
        );
      },
    ),
    folderCommand(
      {
        name: 'restore',
        does: 'Make MQTTLAB_DATA, a new folder, from a backup.',
        withKeys: 'with the private keys of a backup that was written with them',
      },
      async (file, folder, passphrase, { note }) => {
        const { todo, hasMoreKeys } = await restoreBackup(file, folder, passphrase);
        note(`${file}, ${folder}: restored. Start the server with the same MQTTLAB_DATA.`);
        if (hasMoreKeys) note('The backup also holds the private keys: "--with-keys" restores them.');
        if (todo.length > 0) note('The server makes new keys at its next start:');
        for (const sentence of todo) note(`- ${sentence}`);
      },
    ),
  ];
}

/** Returns null without --with-keys. Throws UsageError or StartError if there is no passphrase. */
function readPassphrase(
  { withKeys, passphraseFile }: CliArguments,
  { MQTTLAB_BACKUP_PASSPHRASE: given }: NodeJS.ProcessEnv,
): string | null {
  if (!withKeys) return null;
  if (passphraseFile === null) {
    if (given) return given;
    throw new UsageError('--with-keys needs MQTTLAB_BACKUP_PASSPHRASE or --passphrase-file');
  }
  try {
    return readFileSync(passphraseFile, 'utf8').trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError(`The passphrase cannot be read (${reason}).`, 'Name a file with --passphrase-file.');
  }
}
