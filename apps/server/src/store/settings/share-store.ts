import { randomBytes } from 'node:crypto';
import type { PacketChoice } from '@mqttlab/shared/domain/runs/capture';
import { viewSchema } from '@mqttlab/shared/messages/http';
import {
  type Share,
  type SharedContent,
  sharedContentSchema,
  shareSchema,
} from '@mqttlab/shared/messages/shares';
import * as z from 'zod';
import type { Database } from '../database.ts';
import { blob, defineTable, flag, json, type RowOf, type StoreOptions, unpackJson } from '../table.ts';
import { restoreWindowMs } from './access-store.ts';

/** Subject of a link; its content is created on every visit until it is frozen. */
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
  /** Unix ms; null if the link does not expire. */
  expiresAt: number | null;
  /** True to include addresses, processes, paths and full logs. */
  details: boolean;
  packets?: PacketChoice;
  madeBy?: string | null;
  passwordHash?: string | null;
  maxOpenings?: number | null;
  /** PNG. */
  image?: Uint8Array | null;
}

/** Size of a link's secret in bytes: 128 random bits. */
const tokenBytes = 16;

const shares = defineTable('shares', {
  token: z.string(),
  kind: shareSchema.shape.kind,
  subject: json(shareSubjectSchema),
  title: z.string(),
  createdAt: z.number(),
  madeBy: z.string().nullable(),
  expiresAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
  details: flag,
  packets: shareSchema.shape.packets,
  passwordHash: z.string().nullable(),
  maxOpenings: z.int().nullable(),
  openings: z.int(),
  frozenAt: z.number().nullable(),
});
const images = defineTable('shares', { image: blob });
const snapshots = defineTable('shares', { frozenAt: z.number(), snapshotPacked: blob });
const contentSchema = sharedContentSchema.shape.content;

function withPath({ subject, passwordHash, ...share }: RowOf<typeof shares>) {
  const shown: Share = { ...share, path: `/s/${share.token}`, hasPassword: passwordHash !== null };
  return { subject, passwordHash, share: shown };
}

export type ShareStore = ReturnType<typeof makeShareStore>;

/** Stores share links and their frozen snapshots. */
export function makeShareStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  const find = (token: string) => {
    const row = shares(database).find('WHERE token = :token', { token });
    return row && withPath(row);
  };
  return {
    createShare(share: NewShare): Share {
      const token = randomBytes(tokenBytes).toString('base64url');
      const { image = null, ...row } = share;
      shares(database).insert({ token, kind: share.subject.kind, ...row, createdAt: now() }, { image });
      const made = find(token);
      if (!made) throw new Error('a share disappeared while it was being written');
      return made.share;
    },
    /** Returns links, newest first, including revoked and expired links. */
    listShares: () =>
      shares(database)
        .list('ORDER BY created_at DESC, rowid DESC')
        .map((row) => withPath(row).share),
    findShare: find,
    /** Counts an opening. Returns false if the limit is reached. */
    countOpening: (token: string): boolean =>
      database.run(
        `UPDATE shares SET openings = openings + 1
         WHERE token = :token AND openings < coalesce(max_openings, openings + 1)`,
        { token },
      ).changes > 0,
    findShareImage: (token: string): Uint8Array | null =>
      images(database).find('WHERE token = :token AND image IS NOT NULL', { token })?.image ?? null,
    revokeShare(token: string): void {
      database.run('UPDATE shares SET revoked_at = coalesce(revoked_at, :now) WHERE token = :token', {
        token,
        now: now(),
      });
    },
    /** Restores a link. Returns false unless it was revoked at most `restoreWindowMs` ago. */
    restoreShare: (token: string): boolean =>
      database.run('UPDATE shares SET revoked_at = NULL WHERE token = :token AND revoked_at >= :since', {
        token,
        since: now() - restoreWindowMs,
      }).changes > 0,
    /** Stores the final content as deflated JSON. */
    saveFrozenShare(token: string, snapshot: Uint8Array): void {
      database.run(
        `UPDATE shares SET snapshot_packed = :snapshot, frozen_at = :now
         WHERE token = :token AND snapshot_packed IS NULL`,
        { token, snapshot, now: now() },
      );
    },
    /** Returns valid links that show the current state. */
    listUnfrozenShares: () =>
      shares(database)
        .list('WHERE frozen_at IS NULL AND revoked_at IS NULL AND coalesce(expires_at, :now) >= :now', {
          now: now(),
        })
        .map(({ token, subject }) => ({ token, subject })),
    findFrozenContent(token: string): { content: SharedContent['content']; frozenAt: number } | null {
      const row = snapshots(database).find('WHERE token = :token AND snapshot_packed IS NOT NULL', { token });
      return row && { frozenAt: row.frozenAt, content: unpackJson(row.snapshotPacked, contentSchema) };
    },
  };
}

const views = defineTable('views', viewSchema.shape);
type View = RowOf<typeof views>;

export type ViewStore = ReturnType<typeof makeViewStore>;

/** Stores saved views in SQLite. Writes throw StorageError if they fail. */
export function makeViewStore(database: Database, { now = Date.now }: StoreOptions = {}) {
  return {
    /** Newest first. */
    listViews: () => views(database).list('ORDER BY id DESC'),
    createView(view: Pick<View, 'name' | 'page' | 'state' | 'schemaVersion'>): View {
      const made = { ...view, createdAt: now(), updatedAt: now() };
      return { ...made, id: views(database).insert(made) };
    },
    /** Removes a view. Returns false if it does not exist. */
    removeView: (id: number) => views(database).remove({ id }),
  };
}
