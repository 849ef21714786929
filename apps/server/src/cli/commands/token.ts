import type { AccessRole } from '@mqttlab/shared/messages/access';
import { parseConfig } from '../../base/config.ts';
import { StartError } from '../../base/errors.ts';
import { findProject } from '../../base/project.ts';
import { openFolderDatabase } from '../../store/data-folder.ts';
import { makeTokenStore } from '../../store/settings/token-store.ts';
import { parseAccessRole, UsageError } from '../arguments.ts';
import type { Command } from '../context.ts';

/** Works on the data folder itself: a server that is open to other machines needs a token before it starts. */
export function makeTokenCommand(environment: NodeJS.ProcessEnv): Command {
  return {
    name: 'token',
    summary: 'Make an API token in MQTTLAB_DATA; its secret is shown this once.',
    usages: [
      {
        form: 'create [NAME]',
        does: 'Make an API token in MQTTLAB_DATA; its secret is shown this once.',
        options: [['--role ROLE', 'administrator (where nothing is said), operator or viewer']],
      },
    ],
    run: async ({ args, print, note }) => {
      const [action, name = 'command line'] = args.positionals;
      if (action !== 'create') throw new UsageError('write "token create"');
      const role = parseAccessRole(args.role ?? 'administrator', '--role');
      try {
        const { secret } = createToken(environment, { name, role });
        print(args.json ? JSON.stringify({ name, role, secret }) : secret);
        if (!args.json) note(`A token of role ${role}. Keep it: it is not shown again.`);
        return 0;
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        note(`mqttlab: ${error.message} ${error.remedy}`);
        return 1;
      }
    },
  };
}

function createToken(environment: NodeJS.ProcessEnv, token: { name: string; role: AccessRole }) {
  const database = openFolderDatabase(parseConfig(environment, findProject()).dataFolder);
  try {
    return makeTokenStore(database).create(token);
  } finally {
    database.close();
  }
}
