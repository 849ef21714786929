import { createHash } from 'node:crypto';
import { conflict, ProblemError } from '../base/errors.ts';
import type { IdempotencyStore } from '../store/settings/idempotency-store.ts';

interface Asked {
  /** Chosen by the caller; if undefined, the work is always done. */
  key: string | undefined;
  /** "POST /experiments", with its actual path. */
  route: string;
  body: unknown;
}

/**
 * Executes a creating request once per Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): a repeated request
 * gets the first answer again. A request that failed is executed again. Rejects with a problem if the key is in use by
 * a pending request (409) or was used for another request (422).
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
        remedy: 'Use a new key for each new request.',
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
