import { randomBytes } from 'node:crypto';
import type { Account } from '@mqttlab/shared/messages/access';
import { parseAccessRole, UsageError } from '../arguments.ts';
import { type Actions, type Command, type CommandContext, type ExitCode, runAction } from '../context.ts';
import { renderTable } from '../table.ts';

const actions: Actions = {
  list: listUsers,
  add: addUser,
  role: changeRole,
  password: replacePassword,
  logout: logOut,
  remove: removeUser,
};

/** Passwords never stand on a command line, where other users of the machine see them: they are made here. */
export const user: Command = {
  name: 'user',
  summary: 'People who log in by name and password.',
  usages: [
    { form: 'list', does: 'List accounts with role and last use.' },
    {
      form: 'add NAME',
      does: 'Make an account with a password that is shown this once; its owner changes it on the page.',
      options: [['--role ROLE', 'viewer (where nothing is said), operator or administrator']],
    },
    { form: 'role NAME ROLE', does: 'Change the role of an account.' },
    { form: 'password NAME', does: 'Give an account another password, shown this once; it is logged out.' },
    { form: 'logout NAME', does: 'Log an account out everywhere.' },
    { form: 'remove NAME', does: 'Remove an account; what it did stays in the log of changes.' },
  ],
  run: runAction('user', actions),
};

async function listUsers({ api, args, print }: CommandContext): Promise<ExitCode> {
  const { items } = await api.call('GET /accounts');
  if (args.json) print(JSON.stringify(items));
  else if (items.length === 0) print('No accounts yet. "user add NAME" makes one.');
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
}

async function addUser(context: CommandContext): Promise<ExitCode> {
  const { api, args } = context;
  const name = nameOf(context);
  const role = parseAccessRole(args.role ?? 'viewer', '--role');
  const password = makePassword();
  const account = await api.call('POST /accounts', { body: { name, role, password } });
  return showPassword(context, account, password);
}

async function changeRole(context: CommandContext): Promise<ExitCode> {
  const { api, args, print } = context;
  const { id } = await find(context);
  const role = parseAccessRole(args.positionals[2] ?? '', 'the role');
  const account = await api.call('PATCH /accounts/{id}', { params: { id }, body: { role } });
  print(args.json ? JSON.stringify(account) : `${account.name} is ${account.role}.`);
  return 0;
}

async function replacePassword(context: CommandContext): Promise<ExitCode> {
  const { id } = await find(context);
  const password = makePassword();
  const account = await context.api.call('PATCH /accounts/{id}', { params: { id }, body: { password } });
  return showPassword(context, account, password);
}

async function logOut(context: CommandContext): Promise<ExitCode> {
  const { id, name } = await find(context);
  await context.api.call('DELETE /accounts/{id}/sessions', { params: { id } });
  context.print(context.args.json ? JSON.stringify({ loggedOut: id }) : `${name} is logged out everywhere.`);
  return 0;
}

async function removeUser(context: CommandContext): Promise<ExitCode> {
  const { id, name } = await find(context);
  await context.api.call('DELETE /accounts/{id}', { params: { id } });
  context.print(context.args.json ? JSON.stringify({ removed: id }) : `The account of ${name} was removed.`);
  return 0;
}

function showPassword({ args, print, note }: CommandContext, account: Account, password: string): ExitCode {
  if (args.json) print(JSON.stringify({ account, password }));
  else {
    print(password);
    note(
      `The password of ${account.name}, ${account.role}. It is not shown again; it is changed on the page.`,
    );
  }
  return 0;
}

/** 120 bits. */
function makePassword(): string {
  return randomBytes(15).toString('base64url');
}

function nameOf({ args }: CommandContext): string {
  const name = args.positionals[1];
  if (!name) throw new UsageError('give the name of the account');
  return name;
}

async function find(context: CommandContext): Promise<Account> {
  const name = nameOf(context);
  const { items } = await context.api.call('GET /accounts');
  const found = items.find((account) => account.name === name);
  if (!found) throw new UsageError(`there is no account "${name}"; "user list" shows them`);
  return found;
}
