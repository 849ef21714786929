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

/** Accounts with name and password; only the argon2id hash of the password is stored. */
export function makeAccountStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const find = (id: number): Account | null => accounts(database).find('WHERE id = :id', { id });
  const findByName = (name: string): Account | null =>
    accounts(database).find('WHERE name = :name', { name: name.trim() });
  const hashOf = (id: number): string | null =>
    hashes(database).find('WHERE id = :id', { id })?.passwordHash ?? null;
  return {
    listAccounts: (): Account[] => accounts(database).list('ORDER BY name'),
    findAccount: find,
    findAccountByName: findByName,
    /**
     * Returns null if the name is taken, ignoring case. Other requests may be stored while the password is hashed:
     * `check` runs in the same transaction as the insert and may throw to prevent it.
     */
    async createAccount(
      made: { name: string; role: AccessRole; password: string },
      check: () => void = () => undefined,
    ): Promise<Account | null> {
      const passwordHash = await hashPassword(made.password);
      const { name, role } = made;
      return database.transaction(() => {
        check();
        if (findByName(name)) return null;
        return find(hashes(database).insert({ passwordHash }, { name, role, created_at: now() }));
      });
    },
    /** Returns the account if the password is correct. An unknown name takes the same time. */
    async verifyPassword(name: string, password: string): Promise<Account | null> {
      const account = findByName(name);
      const stored = account && hashOf(account.id);
      if (!(await isPassword(stored, password))) return null;
      // The password may have been changed, or the account removed, while it was verified.
      return account && hashOf(account.id) === stored ? account : null;
    },
    async setPassword(id: number, password: string): Promise<void> {
      hashes(database).update({ id }, { passwordHash: await hashPassword(password) });
    },
    /** Returns false if `present` is not the password, including if another one was set meanwhile. */
    async changePassword(id: number, { present, next }: { present: string; next: string }): Promise<boolean> {
      const before = hashOf(id);
      if (!(await isPassword(before, present))) return false;
      const after = await hashPassword(next);
      const { changes } = database.run(
        'UPDATE accounts SET password_hash = :after WHERE id = :id AND password_hash = :before',
        { id, before, after },
      );
      return changes > 0;
    },
    setRole: (id: number, role: AccessRole) => void accounts(database).update({ id }, { role }),
    touchAccount: (id: number) => void accounts(database).update({ id }, { lastUsedAt: now() }),
    removeAccount: (id: number): boolean => accounts(database).remove({ id }),
    countAdministrators: () =>
      countOf(database, `SELECT count(*) AS count FROM accounts WHERE role = 'administrator'`),
  };
}
