import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeTestDraft } from '../testing/experiment-factory.ts';
import { databasePath, openDataFolder } from './data-folder.ts';
import { makeExperimentStore } from './experiments/experiment-store.ts';
import { StorageError } from './storage-error.ts';

const folders: string[] = [];

function makeFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), 'mqttlab-folder-'));
  folders.push(parent);
  return join(parent, 'data');
}

afterEach(() => {
  vi.useRealTimers();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('a data folder that disappears while the server runs', () => {
  it('rejects writes that would be lost, reports it, and continues when the folder is back', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const path = makeFolder();
    const { database, watch, close } = openDataFolder(path);
    const experiments = makeExperimentStore(database);
    const published = vi.fn();
    watch.onChange(published);
    experiments.createExperiment(makeTestDraft({ name: 'before' }));
    renameSync(path, `${path}-elsewhere`);
    const write = () => experiments.createExperiment(makeTestDraft({ name: 'lost' }));
    expect(write).toThrow(StorageError);
    expect(write).toThrow(`The data folder ${path} was deleted or moved while the server was running.`);
    expect(published).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'gone' }));
    expect(
      experiments.listExperiments({ status: 'all', offset: 0, limit: 10 }).items.map(({ name }) => name),
    ).toEqual(['before']);
    renameSync(`${path}-elsewhere`, path);
    vi.advanceTimersByTime(5000);
    expect(watch.trouble()).toBe(null);
    expect(published).toHaveBeenLastCalledWith(null);
    expect(write).not.toThrow();
    close();
  });

  it('is detected without a write', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const path = makeFolder();
    const { watch, close } = openDataFolder(path);
    rmSync(path, { recursive: true });
    vi.advanceTimersByTime(5000);
    expect(watch.trouble()).toMatchObject({
      code: 'gone',
      remedy: expect.stringMatching(/restart the server/),
    });
    close();
  });
});

it('a damaged database is reported at the start, with a remedy', () => {
  const path = makeFolder();
  const folder = openDataFolder(path);
  folder.database.run('CREATE TABLE filler AS SELECT randomblob(500) AS x FROM sqlite_schema, sqlite_schema');
  folder.close();
  const bytes = readFileSync(databasePath(path));
  writeFileSync(databasePath(path), bytes.fill(0xff, bytes.length - 3 * 4096, bytes.length - 4096));
  expect(() => openDataFolder(path)).toThrow(/damaged/);
  // The lock is released: the next attempt reports the same.
  expect(() => openDataFolder(path)).toThrow(/damaged/);
});

/** Only root can create files of other users. */
describe.runIf(process.getuid?.() === 0)('a data folder of another user', () => {
  const nobody = 65534;
  const open = (path: string) => {
    const script = `
      import { openDataFolder } from '${new URL('./data-folder.ts', import.meta.url)}';
      try { openDataFolder('${path}').close(); console.log('opened'); }
      catch (error) { console.log(error.code + ': ' + error.message + ' ' + error.remedy); }`;
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      uid: nobody,
      gid: nobody,
      encoding: 'utf8',
      cwd: '/',
      env: { ...process.env, NODE_COMPILE_CACHE: '' },
    });
    return stdout + stderr;
  };
  const makeForeign = (): string => {
    const path = makeFolder();
    chmodSync(join(path, '..'), 0o755);
    openDataFolder(path).close();
    return path;
  };

  it('is reported with a remedy: folder, database, lock', () => {
    const path = makeForeign();
    expect(open(path)).toMatch(
      /^cannot-start: The data folder \S+ cannot be written \(.*\)\. Set MQTTLAB_DATA.*\n$/,
    );
    chownSync(path, nobody, nobody);
    expect(open(path)).toMatch(/^cannot-start: .*mqttlab\.lock.*chown.*\n$/s);
    for (const name of readdirSync(path)) {
      if (name === 'mqttlab.lock') chownSync(join(path, name), nobody, nobody);
    }
    expect(open(path)).toMatch(/^cannot-start: .*mqttlab\.db.*chown.*\n$/s);
    for (const name of readdirSync(path)) chownSync(join(path, name), nobody, nobody);
    expect(open(path)).toBe('opened\n');
  });
});
