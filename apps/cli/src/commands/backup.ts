import { readFileSync } from 'node:fs';
import { findDataFolder, isStartFailure, startFailure, writeBackup } from '@mqttlab/server/data-folder';
import type { ExitCode } from '@mqttlab/shared/domain/exit-codes';
import { type Cli, type CommandContext, usageError } from '../cli.ts';

export const passphraseOption = [
  '--passphrase-file <FILE>',
  'file with the passphrase (default: MQTTLAB_BACKUP_PASSPHRASE)',
] as const;

/** Opens the data folder directly, even while a server is using it. */
export function addBackup(cli: Cli): void {
  cli
    .command('backup', {
      does: 'Back up MQTTLAB_DATA to one file, even while the server is running; private keys are omitted.',
      examples: ['backup lab.backup', 'backup lab.backup --with-keys --passphrase-file passphrase.txt'],
    })
    .argument('<FILE>', 'backup needs a file')
    .option('--with-keys', 'with the private keys, encrypted with a passphrase')
    .option(...passphraseOption)
    .action(
      cli.runs((context, file, options) =>
        withDataFolder(context, async (folder) => {
          const { note } = context;
          const passphrase = readPassphrase(context, options);
          await writeBackup(folder, file, passphrase);
          note(`${file}, ${folder}: backed up.`);
          note(
            passphrase === null
              ? 'Private keys are not included. After a restore, the server creates new ones, and you must enter broker passwords and webhook secrets again. "--with-keys" includes the keys.'
              : 'Private keys are included, encrypted. They cannot be restored without the passphrase.',
          );
        }),
      ),
    );
}

/**
 * Calls `work` with the path of the data folder. If the folder cannot be used, prints the reason and returns
 * 1.
 */
export async function withDataFolder(
  { env, note }: CommandContext,
  work: (folder: string) => Promise<void>,
): Promise<ExitCode> {
  try {
    await work(findDataFolder(env));
    return 0;
  } catch (error) {
    if (!isStartFailure(error)) throw error;
    note(`mqttlab: ${error.message} ${error.remedy}`);
    return 1;
  }
}

/** Returns null without --with-keys. Throws a usage error or a start failure if there is no passphrase. */
export function readPassphrase(
  { env: { MQTTLAB_BACKUP_PASSPHRASE: given } }: Pick<CommandContext, 'env'>,
  { withKeys, passphraseFile }: { withKeys?: true | undefined; passphraseFile?: string | undefined },
): string | null {
  if (!withKeys) return null;
  if (passphraseFile === undefined) {
    if (given) return given;
    throw usageError('--with-keys needs MQTTLAB_BACKUP_PASSPHRASE or --passphrase-file');
  }
  try {
    return readFileSync(passphraseFile, 'utf8').trim();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw startFailure(`The passphrase cannot be read (${reason}).`, 'Name a file with --passphrase-file.');
  }
}
