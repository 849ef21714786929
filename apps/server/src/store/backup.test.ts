import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeStores } from '../stores.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { restoreBackup, writeBackup } from './backup.ts';
import { databasePath, openDataFolder } from './data-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-backup-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

it('a backup taken while experiments run restores to a state in which nothing is half', async () => {
  const server = openDataFolder(at('data'));
  const stores = makeStores(server.database, server.secrets);
  playExperiment(stores, { name: 'before' });
  mkdirSync(join(at('data'), 'agents', 'local-broker', 'outbox'), { recursive: true });
  writeFileSync(join(at('data'), 'agents', 'local-broker', 'outbox', '1.json'), '{"waits":true}');
  let running = true;
  let played = 1;
  const play = async () => {
    while (running) {
      playExperiment(stores, { name: `during ${played}` });
      played += 1;
      await new Promise(setImmediate);
    }
  };
  const playing = play();
  try {
    await writeBackup(at('data'), at('backup'));
  } finally {
    running = false;
    await playing;
    server.close();
  }
  expect(statSync(at('backup')).mode & 0o777).toBe(0o600);

  await restoreBackup(at('backup'), at('restored'));
  const restored = openDataFolder(at('restored'));
  expect(restored.unreadable).toEqual([]);
  expect(readFileSync(join(at('restored'), 'agents', 'local-broker', 'outbox', '1.json'), 'utf8')).toBe(
    '{"waits":true}',
  );
  expect(readFileSync(join(at('restored'), 'mqttlab.key'))).toEqual(
    readFileSync(join(at('data'), 'mqttlab.key')),
  );
  const again = makeStores(restored.database, restored.secrets);
  const { items, total } = again.experiments.list({ status: 'all', offset: 0, limit: 500 });
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThanOrEqual(played);
  for (const { id } of items) {
    const detail = again.experiments.detail(id);
    for (const run of detail?.runs.filter(({ status }) => status === 'done') ?? []) {
      expect(Object.keys(run.metrics).length).toBeGreaterThan(10);
    }
  }
  restored.close();
});

it('refuses what is no backup, a folder that is in use, a damaged file and a file that is there', async () => {
  openDataFolder(at('data')).close();
  await writeBackup(at('data'), at('backup'));
  await expect(writeBackup(at('data'), at('backup'))).rejects.toThrow('is there already');
  await expect(writeBackup(at('nowhere'), at('other'))).rejects.toThrow('is no data folder');
  await expect(restoreBackup(at('backup'), at('data'))).rejects.toThrow('has a database already');
  await expect(restoreBackup(databasePath(at('data')), at('a'))).rejects.toThrow('is no backup');
  writeFileSync(at('text'), 'no database');
  await expect(restoreBackup(at('text'), at('b'))).rejects.toThrow();
  const bytes = readFileSync(at('backup'));
  writeFileSync(at('cut'), bytes.fill(0x55, 4096 * 3, 4096 * 9));
  await expect(restoreBackup(at('cut'), at('c'))).rejects.toThrow();
  for (const name of ['a', 'b', 'c']) expect(() => statSync(databasePath(at(name)))).toThrow();
});

it('takes no file out of the folder, whatever a backup says', async () => {
  openDataFolder(at('data')).close();
  await writeBackup(at('data'), at('backup'));
  const forged = new DatabaseSync(at('backup'));
  forged.exec(`INSERT INTO backup_files VALUES ('pki/../../outside', x'00')`);
  forged.close();
  await expect(restoreBackup(at('backup'), at('restored'))).rejects.toThrow('none of mqttlab');
  expect(() => statSync(at('outside'))).toThrow();
});
