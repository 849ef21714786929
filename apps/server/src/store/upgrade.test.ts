import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliDecompressSync } from 'node:zlib';
import { compareQuerySchema } from '@mqttlab/shared/messages/http';
import { afterEach, describe, expect, it } from 'vitest';
import { makeComparison } from '../results/compare.ts';
import { startRedefining } from '../results/upkeep.ts';
import { makeStores } from '../stores.ts';
import { databasePath, openDataFolder } from './data-folder.ts';
import { migrate, migrations } from './migrate.ts';

/**
 * Written by the mqttlab of then: servers of earlier commits ran a small experiment on real agents and brokers, and
 * got notes, links, tokens, a webhook and a broker. No commit that runs ended at the versions that are missing here;
 * those are made of the one before.
 */
const kept = join(import.meta.dirname, 'testing', 'databases');
const keptVersions = readdirSync(kept).map((name) => Number.parseInt(name, 10));
/** Of the secrets in them. */
const key = Buffer.alloc(32, 7).toString('base64');
const earlier = migrations.slice(0, -1).map(({ version }) => version);

/** Tables that have another name since; sessions ended with version 18. */
const renamed = new Map([
  ['own_protocols', 'own_studies'],
  ['protocol_runs', 'study_runs'],
]);
const leftOut = new Set(['sessions']);
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function unpack(version: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-upgrade-'));
  folders.push(folder);
  const from = Math.max(...keptVersions.filter((candidate) => candidate <= version));
  const name = `${String(from).padStart(2, '0')}.db.br`;
  writeFileSync(databasePath(folder), brotliDecompressSync(readFileSync(join(kept, name))), { mode: 0o600 });
  writeFileSync(join(folder, 'mqttlab.key'), `${key}\n`, { mode: 0o600 });
  return folder;
}

function look<T>(folder: string, read: (connection: DatabaseSync) => T): T {
  const connection = new DatabaseSync(databasePath(folder));
  try {
    return read(connection);
  } finally {
    connection.close();
  }
}

function countRows(connection: DatabaseSync): Record<string, unknown> {
  const tables = connection
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !leftOut.has(name));
  return Object.fromEntries(
    tables.map((name) => [
      renamed.get(name) ?? name,
      connection.prepare(`SELECT count(*) AS count FROM ${name}`).get()?.count,
    ]),
  );
}

const figuresOf = (connection: DatabaseSync) =>
  connection.prepare('SELECT * FROM run_metrics ORDER BY run_id, metric').all();

describe.each(earlier)('a database of version %i', (version) => {
  it('loses no row and no figure, and answers what the pages ask', async () => {
    const folder = unpack(version);
    const before = look(folder, (connection) => {
      migrate(connection, migrations.slice(0, version));
      const { user_version: found } = connection.prepare('PRAGMA user_version').get() ?? {};
      return { found, rows: countRows(connection), figures: figuresOf(connection) };
    });
    expect(before.found).toBe(version);
    expect(before.rows).toMatchObject({ experiments: 2, runs: 2, devices: 3, shares: expect.any(Number) });

    const opened = openDataFolder(folder);
    try {
      const { database, secrets, unreadable } = opened;
      expect(unreadable).toEqual([]);
      expect(database.all('PRAGMA foreign_key_check')).toEqual([]);
      expect(database.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
      expect(look(folder, countRows)).toMatchObject(before.rows);
      expect(look(folder, figuresOf)).toEqual(before.figures);

      const stores = makeStores(database, secrets);
      const redefining = startRedefining(stores, {
        onDone: () => {},
        onDamaged: (_id, error) => expect.unreachable(String(error)),
        onError: (error) => expect.unreachable(String(error)),
        now: Date.now,
      });
      await redefining.idle();
      expect(before.figures.length).toBeGreaterThan(20);
      for (const { run_id: runId, metric, value } of before.figures) {
        if (value !== null) expect(stores.runs.find(Number(runId))?.metrics).toHaveProperty(String(metric));
      }

      const experiment = stores.experiments.detail(1);
      expect(experiment).toMatchObject({
        status: 'done',
        progress: { done: 2 },
        notes: 'Notes of then',
        tags: ['first', 'kept'],
      });
      expect(experiment?.plan?.trials).toHaveLength(2);
      expect(
        stores.experiments.list({ status: 'all', offset: 0, limit: 10 }).items.map(({ broken }) => broken),
      ).toEqual([undefined, undefined]);
      for (const { id } of experiment?.runs ?? []) {
        const run = stores.runs.detail(id);
        expect(run?.results.map(({ role }) => role).sort()).toEqual(['broker', 'publisher', 'subscriber']);
        expect(run?.results.every(({ series }) => series.length > 0)).toBe(true);
        expect(stores.runs.logOf(id).length).toBeGreaterThan(0);
      }
      const comparison = await makeComparison(stores, compareQuerySchema.parse({ experiments: '1' }));
      expect(comparison.treatments).toHaveLength(2);
      // The last run was left out by hand, and the machine was not idle.
      expect(comparison.treatments.some((one) => one.latencyWithFlagged !== null)).toBe(true);

      const shares = stores.shares.list();
      expect(shares.length).toBe(before.rows.shares);
      for (const { token } of shares.filter(({ frozenAt }) => frozenAt !== null)) {
        expect(stores.shares.snapshot(token)?.content.kind).toBe(stores.shares.find(token)?.subject.kind);
      }
      expect(stores.tokens.list()).toMatchObject([{ name: 'ci', role: 'operator' }]);
      expect(stores.devices.list()).toHaveLength(3);
      expect(stores.views.list()).toHaveLength(Number(before.rows.views ?? 0));
      expect(stores.studies.listOwn()).toHaveLength(Number(before.rows.own_studies ?? 0));
      expect(stores.studies.listBroken()).toEqual([]);
      if (version >= 3) expect(stores.brokers.credentials('local')?.password).toBe('pass-of-the-broker');
      if (version >= 12) expect(stores.webhooks.targetsOf('experiment.done')).toHaveLength(1);
    } finally {
      opened.close();
    }
  });
});
