import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExternalBrokerSettings } from '@mqttlab/shared/domain/devices/external-broker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databasePath, openDataFolder, openFolderDatabase } from './data-folder.ts';
import { makeBrokerStore } from './settings/testbed-store.ts';
import { makeWebhookStore } from './settings/webhook-store.ts';

let folder: string;
let umask: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-folder-'));
  umask = process.umask(0o022);
});
afterEach(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true });
});

const settings: ExternalBrokerSettings = {
  label: 'RabbitMQ',
  address: '192.0.2.7',
  port: 1883,
  tlsPort: null,
  websocketPort: null,
  mqttVersions: ['3.1.1'],
  authority: null,
  serverName: null,
  process: null,
  unit: null,
  username: 'lab',
  password: 'correct horse',
};

/** A folder that other users can read, with a broker and a webhook. */
function makeOpenFolder(): void {
  const opened = openDataFolder(folder);
  makeBrokerStore(opened.database, opened).saveExternalBroker('local', settings);
  makeWebhookStore(opened.database, opened).createWebhook({
    url: 'https://example.org/',
    events: ['run.failed'],
    secret: 'whsec_old',
    origin: null,
  });
  opened.close();
  mkdirSync(join(folder, 'pki'));
  writeFileSync(join(folder, 'pki', 'authority.pem'), 'key');
  chmodSync(folder, 0o755);
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), name === 'pki' ? 0o755 : 0o644);
}

const modes = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => [
      name,
      (statSync(join(path, name)).mode & 0o777).toString(8),
    ]),
  );
const everything = (): string =>
  readdirSync(folder)
    .filter((name) => name.startsWith('mqttlab.db'))
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join();

describe('the data folder', () => {
  it('has no file that other users can read, even if it existed before', () => {
    makeOpenFolder();
    writeFileSync(`${databasePath(folder)}-shm`, '');
    writeFileSync(`${databasePath(folder)}-wal`, '');
    writeFileSync(join(folder, 'foreign file'), '');
    const opened = openDataFolder(folder);
    makeBrokerStore(opened.database, opened).saveExternalBroker('local', settings);
    expect(modes(folder)).toEqual({
      'mqttlab.db': '600',
      'mqttlab.db-wal': '600',
      'mqttlab.db-shm': '600',
      'mqttlab.lock': '600',
      'mqttlab.key': '600',
      pki: '700',
      'pki/authority.pem': '600',
      'foreign file': '644',
    });
    opened.close();
  });

  it('is private from the first moment, also if a command opens it first', () => {
    const database = openFolderDatabase(folder);
    database.run(
      `INSERT INTO devices (id, name, role, testbed_id, token_hash, created_at) VALUES ('a', 'a', 'broker', 'x', 'h', 1)`,
    );
    expect(modes(folder)).toEqual({ 'mqttlab.db': '600', 'mqttlab.db-wal': '600', 'mqttlab.db-shm': '600' });
    database.close();
  });
});

describe('secrets at rest', () => {
  it('are encrypted from the start in a new folder, each for its own use', () => {
    const { database, secrets, close } = openDataFolder(folder);
    makeBrokerStore(database, { secrets }).saveExternalBroker('local', settings);
    const { id } = makeWebhookStore(database, { secrets }).createWebhook({
      url: 'https://example.org/',
      events: [],
      secret: 'whsec_new',
      origin: null,
    });
    expect(everything()).not.toMatch(/correct horse|whsec_new/);
    expect(makeBrokerStore(database, { secrets }).findBrokerCredentials('local')).toEqual({
      username: 'lab',
      password: 'correct horse',
    });
    expect(makeWebhookStore(database, { secrets }).findTarget(id)?.secret).toBe('whsec_new');
    // Put in the place of another one, a sealed secret does not open.
    database.run('UPDATE external_brokers SET password = (SELECT secret FROM webhooks WHERE id = :id)', {
      id,
    });
    expect(makeBrokerStore(database, { secrets }).findBrokerCredentials('local')?.password).toBe('');
    close();
  });

  it('must be entered again if the key was lost, and nothing else', () => {
    makeOpenFolder();
    rmSync(join(folder, 'mqttlab.key'));
    const opened = openDataFolder(folder);
    expect(opened.unreadable).toEqual(['external_brokers.password', 'webhooks.secret']);
    const brokers = makeBrokerStore(opened.database, opened);
    expect(brokers.findExternalBroker('local')).toMatchObject({ label: 'RabbitMQ', hasPassword: false });
    const webhooks = makeWebhookStore(opened.database, opened);
    expect(webhooks.listWebhooks()).toHaveLength(1);
    expect(webhooks.listTargets('run.failed')).toEqual([]);
    brokers.saveExternalBroker('local', settings);
    expect(brokers.findBrokerCredentials('local')?.password).toBe('correct horse');
    opened.close();
    writeFileSync(join(folder, 'mqttlab.key'), 'no key');
    expect(() => openDataFolder(folder)).toThrow(/mqttlab.key is not a valid key/);
  });
});
