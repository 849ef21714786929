import { randomBytes } from 'node:crypto';
import { latestInstantMs } from '@mqttlab/shared/domain/bounds';
import {
  type Share,
  type SharedContent,
  sharedContentSchema,
  shareSchema,
} from '@mqttlab/shared/messages/shares';
import * as z from 'zod';
import { leaveOut, readEach } from '../broken-row.ts';
import type { Database } from '../database.ts';
import type { StoreOptions } from '../experiments/experiment-store.ts';
import { packJson, unpackJson } from '../packed-json.ts';
import { blob, flag, json } from '../row.ts';

/** What a link shows, by name; the content is made of it on every visit until it is frozen. */
const shareSubjectSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('experiment'), experimentId: z.int() }),
  z.strictObject({ kind: z.literal('run'), runId: z.int() }),
  z.strictObject({ kind: z.literal('view'), view: z.string() }),
  z.strictObject({ kind: z.literal('study'), studyRunId: z.int(), flagged: z.boolean() }),
]);

export type ShareSubject = z.infer<typeof shareSubjectSchema>;

interface NewShare {
  subject: ShareSubject;
  title: string;
  /** Unix ms; null never ends. */
  expiresAt: number | null;
  /** Shows addresses, processes, paths and full logs too. */
  details: boolean;
}

export interface ShareStore {
  create(share: NewShare): Share;
  /** Newest first; revoked and expired ones included. */
  list(): Share[];
  find(token: string): { share: Share; subject: ShareSubject } | null;
  revoke(token: string): void;
  /** Keeps the content as it is now, for good. */
  freeze(token: string, content: SharedContent['content']): void;
  /** Links that still work and show what is there now. */
  listUnfrozen(): { token: string; subject: ShareSubject }[];
  snapshot(token: string): { content: SharedContent['content']; frozenAt: number } | null;
}

/** Bytes of a link's secret: 128 bits that nobody guesses. */
const tokenBytes = 16;

const rowSchema = z.object({
  token: z.string(),
  kind: shareSchema.shape.kind,
  subject_json: json(shareSubjectSchema),
  title: z.string(),
  created_at: z.number(),
  // Links of before may end later than a date can say.
  expires_at: z
    .number()
    .transform((at) => Math.min(at, latestInstantMs))
    .nullable(),
  revoked_at: z.number().nullable(),
  details: flag,
});
/** Frozen contents of earlier versions call a study a protocol. */
const contentSchema = z.preprocess((input) => {
  const earlier = earlierContentSchema.safeParse(input);
  if (!earlier.success) return input;
  const { run, ...rest } = earlier.data;
  const { protocolId, own, ...kept } = run;
  const study = own && { ...own, kind: 'mqttlab study' };
  return { ...rest, kind: 'study', run: { ...kept, studyId: protocolId, own: study } };
}, sharedContentSchema.shape.content);
const earlierContentSchema = z.looseObject({
  kind: z.literal('protocol'),
  run: z.looseObject({ protocolId: z.string(), own: z.looseObject({}).nullable() }),
});
const columns = Object.keys(rowSchema.shape).join(', ');

function parseShare(input: unknown): { share: Share; subject: ShareSubject } {
  const row = rowSchema.parse(input);
  return {
    subject: row.subject_json,
    share: {
      token: row.token,
      kind: row.kind,
      title: row.title,
      path: `/s/${row.token}`,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      details: row.details,
    },
  };
}

/** Share links and their frozen snapshots. */
export function makeShareStore(database: Database, options: StoreOptions = {}): ShareStore {
  const now = options.now ?? Date.now;
  const find = (token: string) => {
    const row = database.get(`SELECT ${columns} FROM shares WHERE token = :token`, { token });
    return row ? parseShare(row) : null;
  };
  return {
    create({ subject, title, expiresAt, details }) {
      const token = randomBytes(tokenBytes).toString('base64url');
      database.run(
        `INSERT INTO shares (token, kind, subject_json, title, created_at, expires_at, details)
         VALUES (:token, :kind, :subject, :title, :now, :expiresAt, :details)`,
        {
          token,
          kind: subject.kind,
          subject: JSON.stringify(subject),
          title,
          expiresAt,
          now: now(),
          details: Number(details),
        },
      );
      const made = find(token);
      if (!made) throw new Error('a share vanished while it was written');
      return made.share;
    },
    list: () =>
      readEach(
        database.all(`SELECT ${columns} FROM shares ORDER BY created_at DESC, rowid DESC`),
        (row) => parseShare(row).share,
        leaveOut,
      ),
    find,
    revoke(token) {
      database.run('UPDATE shares SET revoked_at = coalesce(revoked_at, :now) WHERE token = :token', {
        token,
        now: now(),
      });
    },
    freeze(token, content) {
      database.run(
        `UPDATE shares SET snapshot_packed = :snapshot, frozen_at = :now
         WHERE token = :token AND snapshot_packed IS NULL`,
        { token, snapshot: packJson(content), now: now() },
      );
    },
    listUnfrozen: () =>
      readEach(
        database.all(
          `SELECT ${columns} FROM shares
           WHERE frozen_at IS NULL AND revoked_at IS NULL AND coalesce(expires_at, :now) >= :now`,
          { now: now() },
        ),
        parseShare,
        leaveOut,
      ).map(({ share, subject }) => ({ token: share.token, subject })),
    snapshot(token) {
      const row = database.get(
        'SELECT frozen_at, snapshot_packed FROM shares WHERE token = :token AND snapshot_packed IS NOT NULL',
        { token },
      );
      if (!row) return null;
      const { frozen_at: frozenAt, snapshot_packed: packed } = z
        .object({ frozen_at: z.number(), snapshot_packed: blob })
        .parse(row);
      return { frozenAt, content: unpackJson(packed, contentSchema) };
    },
  };
}
