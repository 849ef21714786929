import { type AccessRole, type Account, accountSchema } from '@mqttlab/shared/messages/access';
import * as z from 'zod';
import { hashPassword, isPassword } from '../../base/password.ts';
import type { Database } from '../database.ts';
import { countOf, defineTable, type StoreOptions } from '../table.ts';

const accounts = defineTable('accounts', accountSchema.shape, {
  sessions: '(SELECT count(*) FROM sessions WHERE account_id = accounts.id)',
});
const hashes = defineTable('accounts', { id: z.int(), passwordHash: z.string() });

export type AccountStore = ReturnType<typeof makeAccountStore>;

/** People who log in with name and password; of the password only its argon2id hash is kept. */
export function makeAccountStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const find = (id: number): Account | null => accounts(database).find('WHERE id = :id', { id });
  const findByName = (name: string): Account | null =>
    accounts(database).find('WHERE name = :name', { name: name.trim() });
  return {
    list: (): Account[] => accounts(database).list('ORDER BY name'),
    find,
    findByName,
    /** null where the name is taken, in whatever case. */
    async create(made: { name: string; role: AccessRole; password: string }): Promise<Account | null> {
      const passwordHash = await hashPassword(made.password);
      if (findByName(made.name)) return null;
      const { name, role } = made;
      return find(hashes(database).insert({ passwordHash }, { name, role, created_at: now() }));
    },
    /** The account where the password is right. A name that does not exist takes as long. */
    async verify(name: string, password: string): Promise<Account | null> {
      const account = findByName(name);
      const kept = account && hashes(database).find('WHERE id = :id', { id: account.id });
      return (await isPassword(kept?.passwordHash ?? null, password)) ? account : null;
    },
    async setPassword(id: number, password: string): Promise<void> {
      hashes(database).update({ id }, { passwordHash: await hashPassword(password) });
    },
    setRole: (id: number, role: AccessRole) => void accounts(database).update({ id }, { role }),
    touch: (id: number) => void accounts(database).update({ id }, { lastUsedAt: now() }),
    remove: (id: number): boolean => accounts(database).remove({ id }),
    countAdministrators: () =>
      countOf(database, `SELECT count(*) AS count FROM accounts WHERE role = 'administrator'`),
  };
}
