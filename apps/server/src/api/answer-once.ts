import { createHash } from 'node:crypto';
import { conflict, ProblemError } from '../base/errors.ts';
import type { IdempotencyStore } from '../store/settings/idempotency-store.ts';

interface Asked {
  /** As the caller chose it; undefined does the work as ever. */
  key: string | undefined;
  /** "POST /experiments", with what is in its path. */
  route: string;
  body: unknown;
}

/**
 * Does what makes something once for each Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a request that
 * is repeated gets the first answer again. A request that failed is executed again. Rejects with a problem where the key is in work
 * (409) or was used for another request (422).
 */
export function makeOnce(store: IdempotencyStore) {
  const working = new Set<string>();
  return async (asked: Asked, work: () => Promise<unknown>): Promise<unknown> => {
    const { key, route, body } = asked;
    if (key === undefined) return work();
    const requestHash = createHash('sha256')
      .update(JSON.stringify(body) ?? '')
      .digest('hex');
    const known = store.find(key, route);
    if (known?.requestHash === requestHash) return known.answer;
    if (known) {
      throw new ProblemError({
        status: 422,
        detail: 'This Idempotency-Key was used for another request.',
        remedy: 'Choose a new key for each thing that shall be made.',
      });
    }
    const name = `${route} ${key}`;
    if (working.has(name)) {
      throw conflict(
        'The first request with this Idempotency-Key is still being answered.',
        'Try again soon.',
      );
    }
    working.add(name);
    try {
      const answer = await work();
      store.save({ key, route, requestHash, answer });
      return answer;
    } finally {
      working.delete(name);
    }
  };
}

export type Once = ReturnType<typeof makeOnce>;
