/** Public exports of this package: operations of the command line on a data folder, without a server. */
import { findProject, parseConfig } from './base/config.ts';
import { openFolderDatabase } from './store/data-folder.ts';
import { type MadeToken, makeTokenStore } from './store/settings/access-store.ts';

export { isStartFailure, startFailure } from './base/errors.ts';
export { restoreBackup, writeBackup } from './store/backup.ts';

/** Returns the path of a server's data folder in this environment. Throws a start failure. */
export function findDataFolder(environment: NodeJS.ProcessEnv): string {
  return parseConfig(environment, findProject()).dataFolder;
}

/**
 * Creates an API token and returns its secret, even while a server is using the folder. Throws a start
 * failure.
 */
export function createToken(folder: string, token: MadeToken): string {
  const database = openFolderDatabase(folder);
  try {
    return makeTokenStore(database).createToken(token).secret;
  } finally {
    database.close();
  }
}
