import {
  createShareSchema,
  type Share,
  type SharedContent,
  sharedContentSchema,
  shareSchema,
} from '@mqttlab/shared/messages/shares';
import * as z from 'zod';
import { redactShare } from '../../analysis/shares/redact-share.ts';
import { findDeleted, makeShareContent } from '../../analysis/shares/share-content.ts';
import { notFound, ProblemError, unprocessable } from '../../base/errors.ts';
import type { ShareSubject } from '../../store/settings/share-store.ts';
import { writeIfPossible } from '../../store/storage-error.ts';
import { route } from '../parse-input.ts';
import type { ApiParts } from '../parts.ts';
import type { Route } from '../route.ts';

const params = z.strictObject({ token: z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'is no share link') });

/** Read-only links to an experiment, a run, a view or a study run. */
export function shareRoutes(parts: ApiParts): Route[] {
  const { shares } = parts;
  return [
    route({
      method: 'get',
      path: '/shares',
      summary: 'List share links, newest first; revoked and expired ones included',
      access: 'operator',
      response: { kind: 'json', status: 200, schema: z.strictObject({ items: z.array(shareSchema) }) },
      handle: () => ({ items: shares.list() }),
    }),
    route({
      method: 'post',
      path: '/shares',
      summary: 'Make a read-only link; addresses, processes, paths and logs stay out of it unless asked for',
      access: 'operator',
      body: createShareSchema,
      response: { kind: 'json', status: 201, schema: shareSchema },
      handle: async ({ body: { expiresAt, details = false, ...subject } }) => {
        if (expiresAt !== undefined && expiresAt <= parts.now()) {
          const field = { field: 'expiresAt', reason: 'it is in the past', remedy: 'Choose a later time.' };
          throw unprocessable('The link cannot be made.', [field]);
        }
        findDeleted(parts, subject);
        const { title, content, settled } = await makeShareContent(parts, subject);
        const share = shares.create({ subject, title, expiresAt: expiresAt ?? null, details });
        if (settled) shares.freeze(share.token, content);
        return share;
      },
    }),
    route({
      method: 'delete',
      path: '/shares/{token}',
      summary: 'Revoke a link',
      access: 'operator',
      params,
      response: { kind: 'nothing' },
      handle: ({ params: { token } }) => {
        if (!shares.find(token)) throw notFound('share link', token);
        shares.revoke(token);
      },
    }),
    route({
      method: 'get',
      path: '/shared/{token}',
      summary: 'Read what a link shows: live, and frozen once everything in it is settled',
      access: 'open',
      params,
      response: { kind: 'json', status: 200, schema: sharedContentSchema },
      handle: ({ params: { token } }) => readShared(parts, token),
    }),
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
