import { randomBytes } from 'node:crypto';
import type { Account } from '@mqttlab/shared/messages/access';
import { type Cli, type CommandContext, usageError } from '../cli.ts';
import { parseAccessRole } from '../references.ts';
import { renderTable } from '../terminal.ts';

const missingName = 'give the name of the account';

/**
 * Adds the command. Passwords are generated, because other users of the machine can see command-line
 * arguments.
 */
export function addUser(cli: Cli): void {
  const user = cli.group('user', { does: 'Manage accounts that log in with a name and password.' });

  user.command('list', { does: 'List accounts with role and last use.', examples: ['user list'] }).action(
    cli.runs(async ({ api, json, print }) => {
      const { items } = await api.call('GET /accounts');
      if (json) print(JSON.stringify(items));
      else if (items.length === 0) print('No accounts yet. "user add NAME" creates one.');
      else {
        const heads = ['Name', 'Role', 'Logged in', 'Last use'].map((head) => ({ head }));
        const rows = items.map(({ name, role, sessions, lastUsedAt }) => [
          name,
          role,
          sessions === 0 ? 'no' : `${sessions} ${sessions === 1 ? 'browser' : 'browsers'}`,
          lastUsedAt === null ? 'never' : new Date(lastUsedAt).toISOString(),
        ]);
        print(renderTable(heads, rows));
      }
      return 0;
    }),
  );

  user
    .command('add', {
      does: 'Create an account and print its name and password, separated by a tab. The password is shown only once; its owner can change it in the web interface.',
      examples: ['user add Ada --role operator'],
    })
    .argument('<NAME>', missingName)
    .option('--role <ROLE>', 'viewer (default), operator or administrator')
    .action(
      cli.runs(async (context, name, { role = 'viewer' }) => {
        const password = makePassword();
        const body = { name, role: parseAccessRole(role, '--role'), password };
        showPassword(context, await context.api.call('POST /accounts', { body }), password);
        return 0;
      }),
    );

  user
    .command('role', { does: 'Change the role of an account.', examples: ['user role Ada administrator'] })
    .argument('<NAME>', missingName)
    .argument('[ROLE]')
    .action(
      cli.runs(async (context, name, role = '') => {
        const { api, json, print } = context;
        const { id } = await findAccount(context, name);
        const body = { role: parseAccessRole(role, 'the role') };
        const account = await api.call('PATCH /accounts/{id}', { params: { id }, body });
        print(json ? JSON.stringify(account) : `${account.name} is ${account.role}.`);
        return 0;
      }),
    );

  user
    .command('password', {
      does: 'Give an account a new password, shown only once; the account is logged out.',
      examples: ['user password Ada'],
    })
    .argument('<NAME>', missingName)
    .action(
      cli.runs(async (context, name) => {
        const { id } = await findAccount(context, name);
        const password = makePassword();
        const account = await context.api.call('PATCH /accounts/{id}', {
          params: { id },
          body: { password },
        });
        showPassword(context, account, password);
        return 0;
      }),
    );

  user
    .command('logout', { does: 'Log an account out everywhere.', examples: ['user logout Ada'] })
    .argument('<NAME>', missingName)
    .action(
      cli.runs(async (context, wanted) => {
        const { id, name } = await findAccount(context, wanted);
        await context.api.call('DELETE /accounts/{id}/sessions', { params: { id } });
        context.print(context.json ? JSON.stringify({ loggedOut: id }) : `${name} is logged out everywhere.`);
        return 0;
      }),
    );

  user
    .command('remove', {
      does: 'Remove an account; its actions stay in the activity log.',
      examples: ['user remove Ada'],
    })
    .argument('<NAME>', missingName)
    .action(
      cli.runs(async (context, wanted) => {
        const { id, name } = await findAccount(context, wanted);
        await context.api.call('DELETE /accounts/{id}', { params: { id } });
        context.print(context.json ? JSON.stringify({ removed: id }) : `The account of ${name} was removed.`);
        return 0;
      }),
    );
}

function showPassword({ json, print, note }: CommandContext, account: Account, password: string): void {
  if (json) print(JSON.stringify({ account, password }));
  else {
    // Several lines in one file remain readable.
    print(`${account.name}\t${password}`);
    note(
      `This is the password for ${account.name} (${account.role}). It is not shown again. Change it in the web interface.`,
    );
  }
}

/** Returns a password of 120 random bits. */
function makePassword(): string {
  return randomBytes(15).toString('base64url');
}

async function findAccount({ api }: CommandContext, name: string): Promise<Account> {
  const { items } = await api.call('GET /accounts');
  const found = items.find((account) => account.name === name);
  if (!found) throw usageError(`there is no account "${name}"; "user list" shows all accounts`);
  return found;
}
