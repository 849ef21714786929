import type { Share, SharedContent } from '@mqttlab/shared/messages/shares';
import { redactShare } from '../../analysis/shares/redact-share.ts';
import { findDeleted, makeShareContent } from '../../analysis/shares/share-content.ts';
import { notFound, ProblemError, unprocessable } from '../../base/errors.ts';
import type { ShareSubject } from '../../store/settings/share-store.ts';
import { writeIfPossible } from '../../store/storage-error.ts';
import { personOf } from '../guards/identify.ts';
import type { ApiParts } from '../parts.ts';
import { on, type Route } from '../route.ts';

/** Read-only links to an experiment, a run, a view or a study run. */
export function shareRoutes(parts: ApiParts): Route[] {
  const { shares } = parts;
  return [
    on('GET /shares', () => ({ items: shares.list() })),
    on('POST /shares', async ({ body: { expiresAt, details = false, ...subject }, caller }) => {
      if (expiresAt !== undefined && expiresAt <= parts.now()) {
        const field = { field: 'expiresAt', reason: 'it is in the past', remedy: 'Choose a later time.' };
        throw unprocessable('The link cannot be made.', [field]);
      }
      findDeleted(parts, subject);
      const { title, content, settled } = await makeShareContent(parts, subject);
      const madeBy = personOf(caller.identity);
      const share = shares.create({ subject, title, expiresAt: expiresAt ?? null, details, madeBy });
      if (settled) shares.freeze(share.token, content);
      return share;
    }),
    on('DELETE /shares/{token}', ({ params: { token } }) => {
      if (!shares.find(token)) throw notFound('share link', token);
      shares.revoke(token);
    }),
    on('GET /shared/{token}', ({ params: { token } }) => readShared(parts, token)),
  ];
}

async function readShared(parts: ApiParts, token: string): Promise<SharedContent> {
  const found = parts.shares.find(token);
  if (!found) throw notFound('share link', token);
  refuseEnded(found.share, parts.now());
  const deleted = findDeleted(parts, found.subject);
  const show = (content: SharedContent['content']) => {
    const left = withoutParts(content, deleted);
    return found.share.details ? left : redactShare(left);
  };
  const frozen = parts.shares.snapshot(token) ?? (await freezeIfSettled(parts, token, found.subject));
  const content = show(frozen.content);
  if ('frozenAt' in frozen) return { share: found.share, live: false, frozenAt: frozen.frozenAt, content };
  return { share: found.share, live: frozen.live, frozenAt: null, content };
}

/** Of a study run without the results of experiments that were deleted since. */
function withoutParts(
  content: SharedContent['content'],
  deleted: ReadonlySet<number>,
): SharedContent['content'] {
  if (content.kind !== 'study') return content;
  const gone = content.run.parts.filter(
    ({ experimentId }) => experimentId !== null && deleted.has(experimentId),
  );
  const partIds = gone.map(({ id }) => id);
  return { ...content, results: content.results.filter(({ partId }) => !partIds.includes(partId)) };
}

async function freezeIfSettled(parts: ApiParts, token: string, subject: ShareSubject) {
  const { content, live, settled } = await makeShareContent(parts, subject);
  // A visit is reading: where the disk takes nothing, a later one freezes it.
  if (settled) writeIfPossible(() => parts.shares.freeze(token, content));
  return parts.shares.snapshot(token) ?? { content, live };
}

function refuseEnded(share: Share, now: number): void {
  const revoked = share.revokedAt !== null;
  if (!revoked && (share.expiresAt === null || share.expiresAt > now)) return;
  const at = new Date(revoked ? (share.revokedAt ?? 0) : (share.expiresAt ?? 0)).toISOString();
  throw new ProblemError({
    status: 410,
    detail: `This link was ${revoked ? 'revoked' : 'valid'} ${revoked ? 'on' : 'until'} ${at}.`,
    remedy: 'Ask whoever shared it for a new one.',
  });
}
