import { type Enrolment, enrolmentSchema, type NewEnrolment } from '@mqttlab/shared/messages/devices';
import type { Database } from '../database.ts';
import { defineTable, type StoreOptions } from '../table.ts';
import { hashSecret, makeSecret } from './token-store.ts';

const enrolments = defineTable('enrolments', enrolmentSchema.shape);

const msPerHour = 3_600_000;

interface Enrolling<T> {
  isFree: (pool: string) => boolean;
  enrol: (pool: string) => T;
}

export type EnrolmentStore = ReturnType<typeof makeEnrolmentStore>;

/** Tokens with which agents enrol; secrets are hashed. */
export function makeEnrolmentStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const valid = 'uses_left > 0 AND expires_at > :now';
  return {
    /** Usable tokens. */
    listEnrolments: (): Enrolment[] =>
      enrolments(database).list(`WHERE ${valid} ORDER BY id`, { now: now() }),
    /** Returns the secret, which is shown only once. Deletes expired tokens. */
    createEnrolment({ pool, uses, hours }: NewEnrolment): { enrolment: Enrolment; secret: string } {
      database.run(`DELETE FROM enrolments WHERE expires_at <= :now`, { now: now() });
      const secret = makeSecret();
      const values = { pool, usesLeft: uses, createdAt: now(), expiresAt: now() + hours * msPerHour };
      const id = enrolments(database).insert(values, { hash: hashSecret(secret) });
      return { enrolment: { id, ...values }, secret };
    },
    /** False if there is no such token. */
    removeEnrolment: (id: number): boolean => enrolments(database).remove({ id }),
    /**
     * Uses this token once; null if it is unknown or has ended. `isFree`: whether the device is known in its pool and
     * needs no use, so that an exhausted token works as well.
     */
    useEnrolment<T>(secret: string, { isFree, enrol }: Enrolling<T>): T | null {
      return database.transaction(() => {
        const key = { hash: hashSecret(secret), now: now() };
        const found = enrolments(database).find(`WHERE hash = :hash AND expires_at > :now`, key);
        if (found === null) return null;
        const { id, pool, usesLeft } = found;
        if (isFree(pool)) return enrol(pool);
        if (usesLeft === 0) return null;
        enrolments(database).update({ id }, { usesLeft: usesLeft - 1 });
        return enrol(pool);
      });
    },
  };
}
