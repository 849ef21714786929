import { createToken } from '@mqttlab/server/data-folder';
import { type Token, type TokenScope, tokenScopes } from '@mqttlab/shared/messages/access';
import { type Cli, type CommandContext, usageError } from '../cli.ts';
import { parseAccessRole } from '../references.ts';
import { renderTable } from '../terminal.ts';
import { withDataFolder } from './backup.ts';

const dayMs = 24 * 60 * 60 * 1000;
const mostDays = 3650;

export function addToken(cli: Cli): void {
  const token = cli.group('token', { does: 'Manage API tokens for programs.' });

  // Opens the data folder, because a server that other machines can reach needs a token before it starts.
  token
    .command('create', {
      does: 'Create an API token in MQTTLAB_DATA; its secret is shown only once.',
      examples: ['token create ci --role operator --scope experiments --days 90'],
    })
    .argument('[NAME]')
    .option('--role <ROLE>', 'administrator (default), operator or viewer')
    .option('--scope <SCOPE>', `${tokenScopes.join(', ')} (default: ${tokenScopes[0]})`)
    .option('--days <N>', 'days until it expires (default: never)')
    .action(
      cli.runs((context, name = 'command line', { role: written = 'administrator', scope, days }) => {
        const role = parseAccessRole(written, '--role');
        const made = { name, role, scope: parseScope(scope), expiresAt: parseExpiry(days) };
        return withDataFolder(context, async (folder) => {
          const { json, note, print } = context;
          const secret = createToken(folder, made);
          print(json ? JSON.stringify({ ...made, secret }) : secret);
          if (!json) note(`This token has the role ${describeRights(made)}. Keep it: it is not shown again.`);
        });
      }),
    );

  token
    .command('list', {
      does: 'List the API tokens with role, scope, last use and expiry.',
      examples: ['token list'],
    })
    .action(
      cli.runs(async ({ api, json, print }) => {
        const { items } = await api.call('GET /tokens');
        const valid = items.filter(({ revokedAt }) => revokedAt === null);
        const heads = ['Id', 'Name', 'Role', 'Scope', 'Last use', 'Expires'].map((head) => ({ head }));
        const rows = valid.map(({ id, name, role, scope, lastUsedAt, expiresAt }) => [
          String(id),
          name,
          role,
          scope,
          dateOr(lastUsedAt, 'never'),
          dateOr(expiresAt, 'never'),
        ]);
        if (json) print(JSON.stringify(valid));
        else print(valid.length === 0 ? 'No tokens. "token create" creates one.' : renderTable(heads, rows));
        return 0;
      }),
    );

  token
    .command('revoke', {
      does: 'Revoke an API token at once, with the sessions opened with it.',
      examples: ['token revoke 3'],
    })
    .argument('<TOKEN>', 'give the id or the name of the token; "token list" shows all tokens')
    .action(
      cli.runs(async (context, wanted) => {
        const { api, json, print } = context;
        const { id, name } = await findToken(context, wanted);
        await api.call('DELETE /tokens/{id}', { params: { id } });
        print(json ? JSON.stringify({ revoked: id }) : `Token ${id} (${name}) is revoked.`);
        return 0;
      }),
    );
}

function parseScope(written: string = tokenScopes[0]): TokenScope {
  const scope = tokenScopes.find((one) => one === written);
  if (!scope) throw usageError(`--scope: "${written}" is not one of ${tokenScopes.join(', ')}`);
  return scope;
}

/** Returns Unix ms; null for a token that does not expire. */
function parseExpiry(days: string | undefined): number | null {
  if (days === undefined) return null;
  const count = Number(days);
  if (!(count > 0 && count <= mostDays)) {
    throw usageError(`--days: "${days}" is not a number of days from 1 to ${mostDays}`);
  }
  return Date.now() + Math.round(count * dayMs);
}

function describeRights({ role, scope, expiresAt }: Pick<Token, 'role' | 'scope' | 'expiresAt'>): string {
  const limit = scope === tokenScopes[0] ? '' : ` for ${scope}`;
  return `${role}${limit} and ${expiresAt === null ? 'does not expire' : `expires on ${dateOr(expiresAt, '')}`}`;
}

function dateOr(at: number | null, otherwise: string): string {
  return at === null ? otherwise : new Date(at).toISOString();
}

/** Finds a valid token by its id, or by a name that only one token has. */
async function findToken({ api }: CommandContext, wanted: string): Promise<Token> {
  const { items } = await api.call('GET /tokens');
  const valid = items.filter(({ revokedAt }) => revokedAt === null);
  const [found, ...others] = valid.filter(({ id, name }) => String(id) === wanted || name === wanted);
  if (!found) throw usageError(`there is no token "${wanted}"; "token list" shows all tokens`);
  if (others.length > 0) {
    const ids = [found, ...others].map(({ id }) => id).join(', ');
    throw usageError(`several tokens are called "${wanted}"; give one of the ids ${ids}`);
  }
  return found;
}
