import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { makeTestDraft, makeTestPlan } from '../testing/experiment-factory.ts';
import { makeTestResult } from '../testing/result-factory.ts';
import { openDatabase } from './database.ts';
import { makeExperimentStore } from './experiments/experiment-store.ts';
import { makeStudyStore } from './experiments/study-store.ts';
import { migrate, migrations } from './migrate.ts';
import { makeRunStore } from './runs/run-store.ts';
import { makeShareStore } from './settings/share-store.ts';
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
  it('keeps what was written, with WAL and foreign keys', () => {
    const path = join(makeFolder(), 'lab.db');
    const first = openDatabase(path);
    const { id } = makeExperimentStore(first).create(makeTestDraft({ name: 'kept' }));
    expect(first.get('PRAGMA journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(first.get('PRAGMA foreign_keys')).toEqual({ foreign_keys: 1 });
    expect(first.get('PRAGMA synchronous')).toEqual({ synchronous: 1 });
    first.close();
    first.close();
    const second = openDatabase(path);
    expect(makeExperimentStore(second).find(id)?.name).toBe('kept');
    second.close();
  });

  it('refuses a database of a newer mqttlab and says what to do', () => {
    const path = join(makeFolder(), 'lab.db');
    const database = openDatabase(path);
    database.run('PRAGMA user_version = 99');
    database.close();
    expect(() => openDatabase(path)).toThrow(/version 99.*versions up to \d+/);
    expect(codeOf(() => openDatabase(path))).toBe('too-new');
  });

  it('leaves files of other programs alone', () => {
    const folder = makeFolder();
    const foreign = new DatabaseSync(join(folder, 'other.db'));
    foreign.exec('CREATE TABLE theirs (x)');
    foreign.close();
    expect(codeOf(() => openDatabase(join(folder, 'other.db')))).toBe('foreign');
    writeFileSync(
      join(folder, 'text.db'),
      'this is no database, but it is long enough to look at'.repeat(99),
    );
    expect(codeOf(() => openDatabase(join(folder, 'text.db')))).toBe('foreign');
    expect(codeOf(() => openDatabase(join(folder, 'no', 'such', 'folder.db')))).toBe('io');
  });

  it('undoes a transaction that fails, nested ones included', () => {
    const database = openDatabase(':memory:');
    const experiments = makeExperimentStore(database);
    expect(() =>
      database.transaction(() => {
        database.transaction(() => experiments.create(makeTestDraft()));
        throw new Error('later');
      }),
    ).toThrow('later');
    expect(experiments.list({ status: 'all', offset: 0, limit: 10 }).total).toBe(0);
  });

  it('names a full disk and keeps nothing of the write that did not fit', () => {
    const database = openDatabase(':memory:', { maximumPages: 70 });
    const experiments = makeExperimentStore(database);
    const runs = makeRunStore(database);
    const plan = makeTestPlan();
    const { id: experimentId } = experiments.create(makeTestDraft());
    experiments.savePlan(experimentId, plan);
    const trial = plan.trials[0]!;
    const { id } = runs.create({
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
    expect(runs.results(id)).toEqual([]);
    expect(runs.saveResult(id, 'pi', small)).toBe(true);
  });
});

describe('migrate', () => {
  it('numbers migrations from 1 without gaps', () => {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  });

  it('applies only what is missing and undoes a step that fails', () => {
    const connection = new DatabaseSync(':memory:');
    migrate(connection);
    const next = migrations.length + 1;
    const good = { version: next, sql: 'CREATE TABLE extra (x INTEGER) STRICT' };
    const bad = { version: next + 1, sql: 'CREATE TABLE half (x INTEGER) STRICT; CREATE TABLE extra (y)' };
    expect(() => migrate(connection, [...migrations, good, bad])).toThrow(/already exists/);
    const version = () => connection.prepare('PRAGMA user_version').get()?.user_version;
    expect(version()).toBe(next);
    expect(connection.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'half'`).get()).toBeUndefined();
    migrate(connection, [...migrations, good, { ...bad, sql: 'CREATE TABLE half (x INTEGER) STRICT' }]);
    expect(version()).toBe(next + 1);
  });

  it('counts the first valid attempt that is done, else the first, also in data of before there was that rule', () => {
    const connection = new DatabaseSync(':memory:');
    migrate(connection, migrations.slice(0, 12));
    connection.exec(`
      INSERT INTO experiments (status, name, question, notes, tags_json, testbed_id, draft_json, varied_json, failed,
          created_at, updated_at)
        VALUES ('done', '', '', '', '[]', 'local', '{}', '[]', 2, 0, 0);
      INSERT INTO runs (experiment_id, testbed_id, trial_number, block, treatment_key, attempt, superseded, status, flagged)
        VALUES (1, 'local', 1, 1, 'a', 1, 1, 'done', 0), (1, 'local', 1, 1, 'a', 2, 0, 'failed', 0),
          (1, 'local', 2, 1, 'b', 1, 1, 'interrupted', 0), (1, 'local', 2, 1, 'b', 2, 0, 'failed', 0),
          (1, 'local', 3, 1, 'c', 1, 1, 'done', 1), (1, 'local', 3, 1, 'c', 2, 1, 'done', 0),
          (1, 'local', 3, 1, 'c', 3, 0, 'done', 0), (1, 'local', 4, 1, 'd', 1, 1, 'done', 1),
          (1, 'local', 4, 1, 'd', 2, 0, 'done', 1);
    `);
    migrate(connection);
    const superseded = connection.prepare('SELECT superseded FROM runs ORDER BY id').all();
    expect(superseded.map((row) => row.superseded)).toEqual([0, 1, 1, 0, 1, 0, 1, 0, 1]);
    expect({ ...connection.prepare('SELECT done, failed, flagged FROM experiments').get() }).toEqual({
      done: 3,
      failed: 1,
      flagged: 1,
    });
  });

  it('opens own studies, their runs and addresses of links of when they were called protocols', () => {
    const connection = new DatabaseSync(':memory:');
    migrate(connection, migrations.slice(0, 15));
    connection.exec(`
      INSERT INTO own_protocols (id, file_json, created_at) VALUES ('ours', '{"kind":"mqttlab protocol","id":"ours"}', 0);
      INSERT INTO protocol_runs (protocol_id, title, testbed_id, scale, parts_json, created_at)
        VALUES ('rpi-broker', 'Study', 'local', 'smoke', '[]', 0);
      INSERT INTO shares (token, kind, subject_json, title, created_at)
        VALUES ('t', 'protocol', '{"kind":"protocol","protocolRunId":1,"flagged":true}', 'Link', 0);
    `);
    const path = join(makeFolder(), 'earlier.db');
    connection.exec(`VACUUM INTO '${path}'`);

    const database = openDatabase(path);
    const studies = makeStudyStore(database);
    expect(studies.storedText('ours')).toBe('{"kind":"mqttlab study","id":"ours"}');
    expect(studies.findRun(1)).toMatchObject({ studyId: 'rpi-broker', own: null });
    const shares = makeShareStore(database);
    expect(shares.find('t')?.subject).toEqual({ kind: 'study', studyRunId: 1, flagged: true });
    database.close();
  });

  it('gives the file of a meter to the device that played the role', () => {
    const connection = new DatabaseSync(':memory:');
    migrate(connection, migrations.slice(0, 10));
    connection.exec(`
      PRAGMA foreign_keys = OFF;
      INSERT INTO run_results (run_id, role, device_id, received_at, body_packed)
        VALUES (1, 'broker', 'pi-1', 0, x''), (1, 'publisher', 'pi-2', 0, x''), (2, 'publisher', 'pi-3', 0, x'');
      INSERT INTO meter_readings (run_id, role, name, uploaded_at, times_block, power_block)
        VALUES (1, 'publisher', 'Otii', 5, x'01', x'02');
    `);
    migrate(connection);
    expect({ ...connection.prepare('SELECT * FROM meter_readings').get() }).toMatchObject({
      run_id: 1,
      role: 'publisher',
      device_id: 'pi-2',
      name: 'Otii',
      uploaded_at: 5,
      power_block: new Uint8Array([2]),
    });
  });
});
