import { parseConfig } from '../../base/config.ts';
import { StartError } from '../../base/errors.ts';
import { findProject } from '../../base/project.ts';
import { restoreBackup, writeBackup } from '../../store/backup.ts';
import { UsageError } from '../arguments.ts';
import type { Command } from '../context.ts';

/** Both work on the data folder itself, a backup also beside the server that uses it. */
export function makeBackupCommands(environment: NodeJS.ProcessEnv): Command[] {
  const folderCommand = (
    { name, does, after }: { name: string; does: string; after: string },
    work: (file: string, folder: string) => Promise<void>,
  ): Command => ({
    name,
    summary: does,
    usages: [{ form: 'FILE', does }],
    run: async ({ args, note }) => {
      const [file] = args.positionals;
      if (!file) throw new UsageError(`${name} needs a file`);
      const { dataFolder } = parseConfig(environment, findProject());
      try {
        await work(file, dataFolder);
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        note(`mqttlab: ${error.message} ${error.remedy}`);
        return 1;
      }
      note(`${file}, ${dataFolder}: ${after}`);
      return 0;
    },
  });
  return [
    folderCommand(
      {
        name: 'backup',
        does: 'Write all of MQTTLAB_DATA into one file, also while the server runs.',
        after: 'backed up. The file holds keys and passwords: keep it as safe as the folder.',
      },
      (file, folder) => writeBackup(folder, file),
    ),
    folderCommand(
      {
        name: 'restore',
        does: 'Make MQTTLAB_DATA, a new folder, of a backup.',
        after: 'restored. Start the server with the same MQTTLAB_DATA.',
      },
      restoreBackup,
    ),
  ];
}
