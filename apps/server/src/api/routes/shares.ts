import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { goesAlong, type PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import type { RunFile } from '@mqttlab/shared/domain/runs/run';
import { restoreMinutes } from '@mqttlab/shared/messages/access';
import { addressOf, apiPrefix } from '@mqttlab/shared/messages/address';
import type { Share } from '@mqttlab/shared/messages/shares';
import type { RequestHandler } from 'express';
import type { EncodedJson } from '../../base/encoded-json.ts';
import { conflict, notFound, ProblemError, unprocessable } from '../../base/errors.ts';
import { reencodePng } from '../../exchange/png.ts';
import { freezeShare } from '../../results/background-answers.ts';
import { experimentsOfShare, findDeleted, stateOfShare } from '../../results/share-content.ts';
import { hashPassword, isPassword } from '../../store/settings/access-store.ts';
import type { ShareSubject } from '../../store/settings/share-store.ts';
import { StorageError, writeIfPossible } from '../../store/storage-error.ts';
import { makeCookie, personOf, readCookie } from '../guards/identify.ts';
import { originOf } from '../guards/request-origin.ts';
import { type Caller, on, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { readRunFile } from './runs.ts';

/** Requests within this time, in ms, count as one opening. */
const visitMs = 12 * 3_600_000;
const visitCookie = 'mqttlab_visit';

/** Handles read-only links to an experiment, a run, a view or a study run. */
export function shareRoutes(services: Services): Route[] {
  const { gate } = services;
  const { shares } = services.stores;
  const visits = makeVisits(services.system.now);
  /** Returns a file of a run if packets were included, and only to browsers that opened the link. */
  const sharedFile = (token: string, { caller, ...wanted }: SharedFile) => {
    const { share, subject } = findOpen(services, token);
    if (subject.kind !== 'run' || !goesAlong(share.packets, wanted.name)) {
      throw notFound(`${wanted.name} of share link`, token);
    }
    if (!isForAll(share) && !visits.isOn(token, caller)) throw asksPassword();
    findDeleted(services.stores, subject);
    return {
      name: `run-${subject.runId}-${wanted.name}`,
      body: readRunFile(services, { id: subject.runId, ...wanted }),
    };
  };
  return [
    on('GET /shares', () => ({ items: shares.listShares() })),
    on('POST /shares/preview', ({ body: { details = false, packets = 'none', ...subject }, caller }) => {
      refusePackets(subject, packets);
      findDeleted(services.stores, subject);
      const experimentIds = experimentsOfShare(services.stores, subject);
      return services.answers.getAnswer(
        'sharePreview',
        { subject, details, packets },
        { experimentIds, signal: caller.signal },
      );
    }),
    on('POST /shares', async ({ body, caller }) => {
      const { expiresAt, password, maxOpenings, image, details = false, frozen = false, ...named } = body;
      const { packets = 'none', ...subject } = named;
      refusePackets(subject, packets);
      if (expiresAt !== undefined && expiresAt <= services.system.now()) {
        const field = { field: 'expiresAt', reason: 'it is in the past', remedy: 'Choose a later time.' };
        throw unprocessable('The link cannot be created.', [field]);
      }
      findDeleted(services.stores, subject);
      const picture = image === undefined ? null : await reencodePng(Buffer.from(image, 'base64'));
      const { title } = stateOfShare(services.stores, subject);
      // No link is created if its content cannot be computed.
      const experimentIds = experimentsOfShare(services.stores, subject);
      await services.answers.getAnswer('shareContent', { subject }, { experimentIds, signal: caller.signal });
      const share = shares.createShare({
        subject,
        title,
        details,
        packets,
        expiresAt: expiresAt ?? null,
        madeBy: personOf(caller.identity),
        maxOpenings: maxOpenings ?? null,
        passwordHash: password === undefined ? null : await hashPassword(password),
        image: picture,
      });
      await freezeShare(
        { ...services.stores, answers: services.answers },
        { token: share.token, subject },
        !frozen,
      );
      return shares.findShare(share.token)?.share ?? share;
    }),
    on('DELETE /shares/{token}', ({ params: { token } }) => {
      if (!shares.findShare(token)) throw notFound('share link', token);
      shares.revokeShare(token);
    }),
    on('POST /shares/{token}/restore', ({ params: { token } }) => {
      if (!shares.findShare(token)) throw notFound('share link', token);
      if (shares.restoreShare(token)) return;
      throw conflict(`A revoked link can be restored for ${restoreMinutes} minutes.`, 'Create another link.');
    }),
    on('GET /shared/{token}', ({ params: { token }, caller }) => {
      const { share } = findOpen(services, token);
      if (!visits.isOn(token, caller)) {
        if (share.hasPassword) throw asksPassword();
        countOpening(services, share);
        visits.begin(token, caller);
      }
      return readShared(services, token, caller);
    }),
    on('POST /shared/{token}', async ({ params: { token }, body: { password }, caller }) => {
      const { share, passwordHash } = findOpen(services, token);
      const isRight = await gate.guard(caller.request, `share ${token}`, async () =>
        (await isPassword(passwordHash, password)) ? true : null,
      );
      if (!isRight) {
        const field = {
          field: 'password',
          reason: 'it is not the password for this link',
          remedy: 'Ask the person who shared it.',
        };
        throw unprocessable('The link cannot be opened.', [field]);
      }
      // The link may have been revoked, or expired, while the password was being verified.
      findOpen(services, token);
      if (!visits.isOn(token, caller)) countOpening(services, share);
      visits.begin(token, caller);
      return readShared(services, token, caller);
    }),
    on('GET /shared/{token}/capture.pcap', ({ params: { token }, query: { device }, caller }) =>
      sharedFile(token, { name: 'capture.pcap', device, caller }),
    ),
    on('GET /shared/{token}/keys.log', ({ params: { token }, caller }) =>
      sharedFile(token, { name: 'keys.log', caller }),
    ),
    on('GET /shared/{token}/preview.png', ({ params: { token } }) => {
      const body = isForAll(findOpen(services, token).share) ? shares.findShareImage(token) : null;
      if (!body) throw notFound('picture of share link', token);
      return { name: null, body };
    }),
  ];
}

interface SharedFile {
  name: RunFile['name'];
  device?: string | undefined;
  caller: Caller;
}

/**
 * Throws a 422 problem unless the link is to a run: only links to a run include packets, and other links show
 * no single runs.
 */
function refusePackets({ kind }: ShareSubject, packets: PacketChoice): void {
  if (kind === 'run' || packets === 'none') return;
  const reason = 'packets and keys belong to one run';
  const remedy = 'Share the run, or export the experiment as a bundle with its captures.';
  throw unprocessable('The link cannot be created.', [{ field: 'packets', reason, remedy }]);
}

/** Returns true if the link's picture may be shown before the link is opened. */
const isForAll = ({ hasPassword, maxOpenings }: Share): boolean => !hasPassword && maxOpenings === null;

/** Tracks which browsers have opened a link, with one cookie per link. */
function makeVisits(now: () => number) {
  const key = randomBytes(32);
  const signed = (token: string, at: string): string =>
    `${at}.${createHmac('sha256', key).update(`${token} ${at}`).digest('base64url')}`;
  return {
    isOn(token: string, { request }: Caller): boolean {
      const shown = readCookie(request, visitCookie) ?? '';
      const at = shown.split('.')[0] ?? '';
      const [mine, theirs] = [Buffer.from(signed(token, at)), Buffer.from(shown)];
      return mine.length === theirs.length && timingSafeEqual(mine, theirs) && now() - Number(at) < visitMs;
    },
    begin(token: string, { request, setHeader }: Caller): void {
      const path = `${apiPrefix}/shared/${token}`;
      const value = signed(token, String(now()));
      setHeader('Set-Cookie', makeCookie({ name: visitCookie, value, path, maxAgeMs: visitMs }, request));
    },
  };
}

function asksPassword(): ProblemError {
  return new ProblemError({
    status: 401,
    detail: 'This link requires a password.',
    remedy: 'Ask the person who shared it.',
  });
}

/** Counts one use of the link. Throws a 410 problem if no uses are left. */
function countOpening({ stores: { shares } }: Services, share: Share): void {
  // A link without a limit on openings can also be opened when the disk is full.
  if (share.maxOpenings === null) writeIfPossible(() => shares.countOpening(share.token));
  else if (!shares.countOpening(share.token)) {
    throw ended(`could be opened only ${share.maxOpenings === 1 ? 'once' : `${share.maxOpenings} times`}`);
  }
}

/** Returns an open link. Throws a 404 problem, or a 410 problem if the link has ended. */
function findOpen({ stores: { shares }, system: { now } }: Services, token: string) {
  const found = shares.findShare(token);
  if (!found) throw notFound('share link', token);
  const { revokedAt, expiresAt } = found.share;
  if (revokedAt !== null) throw ended(`was revoked on ${new Date(revokedAt).toISOString()}`);
  if (expiresAt !== null && expiresAt <= now())
    throw ended(`was valid until ${new Date(expiresAt).toISOString()}`);
  return found;
}

function ended(how: string): ProblemError {
  return new ProblemError({
    status: 410,
    detail: `This link ${how}.`,
    remedy: 'Ask the person who shared it for a new one.',
  });
}

/** Time for which the content of a running experiment is cached, in s. */
const liveS = 5;

async function readShared(services: Services, token: string, { signal }: Caller): Promise<EncodedJson> {
  const { subject, share } = findOpen(services, token);
  findDeleted(services.stores, subject);
  // A visit must also succeed when the disk is full; a later visit then freezes the link.
  if (share.frozenAt === null) await freezeIfPossible(services, { token, subject });
  const { frozenAt } = findOpen(services, token).share;
  const at = frozenAt === null ? { at: Math.floor(services.system.now() / (liveS * 1000)) } : {};
  const asked = { subject, token, frozenAt, ...at };
  const answer = await services.answers.getAnswer('shared', asked, {
    experimentIds: experimentsOfShare(services.stores, subject),
    signal,
  });
  // The link may have been revoked, or expired, while the answer was being computed.
  findOpen(services, token);
  return answer;
}

async function freezeIfPossible(
  services: Services,
  link: { token: string; subject: ShareSubject },
): Promise<void> {
  try {
    await freezeShare({ ...services.stores, answers: services.answers }, link, true);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  }
}

/**
 * Returns the page of a share link, with the metadata that chats and mail programs preview (Open Graph,
 * ogp.me).
 */
export function previewShare(services: Services, pageFolder: string): RequestHandler {
  return async (request, response, next) => {
    const share = request.accepts('html') ? findForAll(services, String(request.params.token)) : null;
    const page = share && (await readFile(join(pageFolder, 'index.html'), 'utf8').catch(() => null));
    if (!page) {
      next();
      return;
    }
    response.set('Cache-Control', 'no-store').type('text/html; charset=utf-8');
    response.send(page.replace('</head>', () => `${tagsOf(share, originOf(request), services)}</head>`));
  };
}

function findForAll(services: Services, token: string): Share | null {
  try {
    const { share } = findOpen(services, token);
    return isForAll(share) ? share : null;
  } catch {
    // The page itself shows the state of the link.
    return null;
  }
}

function tagsOf({ token, title, path }: Share, origin: string, { stores: { shares } }: Services): string {
  const picture = addressOf('GET /shared/{token}/preview.png', { params: { token } });
  const tags: [string, string][] = [
    ['og:type', 'article'],
    ['og:site_name', 'mqttlab'],
    ['og:title', title],
    ['og:url', origin + path],
    ...(shares.findShareImage(token) ? [['og:image', origin + picture] as [string, string]] : []),
  ];
  return tags.map(([name, content]) => `<meta property="${name}" content="${escapeHtml(content)}">`).join('');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (letter) => entities[letter] ?? letter);
