import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTestDraft, makeTestPlan } from '../testing/experiment-factory.ts';
import { makeTestResult } from '../testing/result-factory.ts';
import { migrate, openDatabase } from './database.ts';
import { makeExperimentStore } from './experiments/experiment-store.ts';
import { makeRunStore } from './runs/run-store.ts';
import type { StorageError } from './storage-error.ts';

const folders: string[] = [];

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mqttlab-store-'));
  folders.push(folder);
  return folder;
}

function codeOf(work: () => unknown): StorageError['code'] | 'nothing thrown' {
  try {
    work();
  } catch (error) {
    return (error as StorageError).code;
  }
  return 'nothing thrown';
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('openDatabase', () => {
  it('stores data, with WAL and foreign keys', () => {
    const path = join(makeFolder(), 'lab.db');
    const first = openDatabase(path);
    const { id } = makeExperimentStore(first).createExperiment(makeTestDraft({ name: 'kept' }));
    expect(first.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(first.get('PRAGMA foreign_keys')).toEqual({ foreign_keys: 1 });
    expect(first.get('PRAGMA synchronous')).toEqual({ synchronous: 1 });
    first.close();
    first.close();
    const second = openDatabase(path);
    expect(makeExperimentStore(second).findExperiment(id)?.name).toBe('kept');
    second.close();
  });

  it('refuses a database of a newer mqttlab with a remedy', () => {
    const path = join(makeFolder(), 'lab.db');
    const database = openDatabase(path);
    database.run('PRAGMA user_version = 99');
    database.close();
    expect(() => openDatabase(path)).toThrow(/version 99.*versions up to \d+/);
    expect(codeOf(() => openDatabase(path))).toBe('too-new');
  });

  it('does not change files of other programs', () => {
    const folder = makeFolder();
    const foreign = new DatabaseSync(join(folder, 'other.db'));
    foreign.exec('CREATE TABLE theirs (x)');
    foreign.close();
    expect(codeOf(() => openDatabase(join(folder, 'other.db')))).toBe('foreign');
    writeFileSync(
      join(folder, 'text.db'),
      'this is not a database, but it is long enough to be one'.repeat(99),
    );
    expect(codeOf(() => openDatabase(join(folder, 'text.db')))).toBe('foreign');
    expect(codeOf(() => openDatabase(join(folder, 'no', 'such', 'folder.db')))).toBe('io');
  });

  it('undoes a transaction that fails, nested ones included', () => {
    const database = openDatabase(':memory:');
    const experiments = makeExperimentStore(database);
    expect(() =>
      database.transaction(() => {
        database.transaction(() => experiments.createExperiment(makeTestDraft()));
        throw new Error('later');
      }),
    ).toThrow('later');
    expect(experiments.listExperiments({ status: 'all', offset: 0, limit: 10 }).total).toBe(0);
  });

  it('reports a full disk and stores nothing of the failed write', () => {
    const database = openDatabase(':memory:', { maximumPages: 70 });
    const experiments = makeExperimentStore(database);
    const runs = makeRunStore(database);
    const plan = makeTestPlan();
    const { id: experimentId } = experiments.createExperiment(makeTestDraft());
    experiments.savePlan(experimentId, plan);
    const trial = plan.trials[0]!;
    const { id } = runs.createRun({
      experimentId,
      trialNumber: 1,
      block: 1,
      treatmentKey: trial.treatmentKey,
      attempt: 1,
      retryOf: null,
    });
    const noise = Array.from({ length: 20_000 }, () => Math.random());
    const small = makeTestResult('publisher', { spec: plan.treatments[0]!.spec });
    const large = {
      ...small,
      series: [...small.series, { metric: 'm', unit: '', timesMs: noise, values: noise }],
    };
    expect(codeOf(() => runs.saveResult(id, 'pi', large))).toBe('full');
    expect(runs.listRoleResults(id)).toEqual([]);
    expect(runs.saveResult(id, 'pi', small)).toBe(true);
  });
});

describe('migrate', () => {
  const versionOf = (connection: DatabaseSync) =>
    connection.prepare('PRAGMA user_version').get()?.user_version;
  const hasTable = (connection: DatabaseSync, name: string) =>
    connection.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;

  it('creates version 1 from schema.sql', () => {
    const connection = new DatabaseSync(':memory:');
    migrate(connection);
    expect(versionOf(connection)).toBe(1);
    expect(hasTable(connection, 'experiments')).toBe(true);
    expect(connection.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
  });

  it('applies missing migrations only, keeps the data, and rolls back a migration that fails', () => {
    const connection = new DatabaseSync(':memory:');
    migrate(connection);
    connection.exec("INSERT INTO trusted_signers (fingerprint, name, created_at) VALUES ('f', 'kept', 0)");
    const renamed = { version: 2, sql: 'ALTER TABLE trusted_signers RENAME TO signers' };
    const failing = { version: 3, sql: 'CREATE TABLE half (x INTEGER) STRICT; CREATE TABLE signers (y)' };
    expect(() => migrate(connection, [renamed, failing])).toThrow(/already exists/);
    expect(versionOf(connection)).toBe(2);
    expect(hasTable(connection, 'half')).toBe(false);
    migrate(connection, [renamed, { version: 3, sql: 'CREATE TABLE half (x INTEGER) STRICT' }]);
    expect(versionOf(connection)).toBe(3);
    expect(hasTable(connection, 'half')).toBe(true);
    expect(connection.prepare('SELECT name FROM signers').get()?.name).toBe('kept');
    // The program without these migrations is older than the database.
    expect(() => migrate(connection)).toThrow(/version 3.*versions up to 1/);
  });

  it('gives a new database the schema that an upgraded one has', () => {
    const added = { version: 2, sql: 'CREATE TABLE added (x INTEGER) STRICT' };
    const upgraded = new DatabaseSync(':memory:');
    migrate(upgraded);
    migrate(upgraded, [added]);
    const fresh = new DatabaseSync(':memory:');
    migrate(fresh, [added]);
    const schemaOf = (connection: DatabaseSync) =>
      connection.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
    expect(schemaOf(upgraded)).toEqual(schemaOf(fresh));
    expect(versionOf(fresh)).toBe(2);
  });
});
