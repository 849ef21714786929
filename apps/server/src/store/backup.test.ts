import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { issueAgentToken } from '../devices/agent-tokens.ts';
import { makeStores } from '../store/stores.ts';
import { playExperiment } from '../testing/stores-factory.ts';
import { restoreBackup, writeBackup } from './backup.ts';
import { databasePath, openDataFolder } from './data-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-backup-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

const broker = {
  label: 'RabbitMQ',
  address: '192.0.2.7',
  port: 1883,
  tlsPort: null,
  websocketPort: null,
  mqttVersions: ['3.1.1' as const],
  authority: null,
  serverName: null,
  process: null,
  unit: null,
  username: 'lab',
};

it('a backup taken while experiments run restores to a consistent state', async () => {
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
  expect(readFileSync(join(at('restored'), 'agents', 'local-broker', 'outbox', '1.json'), 'utf8')).toBe(
    '{"waits":true}',
  );
  const again = makeStores(restored.database, restored.secrets);
  const { items, total } = again.experiments.listExperiments({ status: 'all', offset: 0, limit: 500 });
  expect(total).toBeGreaterThan(0);
  expect(total).toBeLessThanOrEqual(played);
  for (const { id } of items) {
    for (const run of again.runs.listRuns(id).filter(({ status }) => status === 'done')) {
      expect(Object.keys(run.metrics).length).toBeGreaterThan(10);
    }
  }
  restored.close();
});

it('refuses files that are not backups, a folder in use, a damaged file and an existing target', async () => {
  openDataFolder(at('data')).close();
  await writeBackup(at('data'), at('backup'));
  await expect(writeBackup(at('data'), at('backup'))).rejects.toThrow('already exists');
  await expect(writeBackup(at('nowhere'), at('other'))).rejects.toThrow('is not a data folder');
  await expect(restoreBackup(at('backup'), at('data'))).rejects.toThrow('already has a database');
  await expect(restoreBackup(databasePath(at('data')), at('a'))).rejects.toThrow('is not a backup');
  writeFileSync(at('text'), 'no database');
  await expect(restoreBackup(at('text'), at('b'))).rejects.toThrow();
  const bytes = readFileSync(at('backup'));
  writeFileSync(at('cut'), bytes.fill(0x55, 4096 * 3, 4096 * 9));
  await expect(restoreBackup(at('cut'), at('c'))).rejects.toThrow();
  for (const name of ['a', 'b', 'c']) expect(() => statSync(databasePath(at(name)))).toThrow();
});

it('writes no file outside the folder, whatever a backup contains', async () => {
  openDataFolder(at('data')).close();
  await writeBackup(at('data'), at('backup'));
  const forged = new DatabaseSync(at('backup'));
  forged.exec(`INSERT INTO backup_files VALUES ('pki/../../outside', x'00')`);
  forged.close();
  await expect(restoreBackup(at('backup'), at('restored'))).rejects.toThrow('does not belong to mqttlab');
  expect(() => statSync(at('outside'))).toThrow();
});

const passphrase = 'correct horse battery';

/** A folder with every kind of private file and secret. */
function fillFolder(): Record<string, string> {
  const server = openDataFolder(at('data'));
  const stores = makeStores(server.database, server.secrets);
  const played = playExperiment(stores, { name: 'captured' });
  stores.brokers.saveExternalBroker('local', { ...broker, password: 'pass of the broker' });
  stores.webhooks.createWebhook({
    url: 'https://example.org/hook',
    events: [],
    secret: 'whsec_hook',
    origin: null,
  });
  stores.runFiles.saveFilePart(
    { runId: played.runs[0]?.id ?? 0, deviceId: 'local-publisher', name: 'keys.log' },
    { part: 0, bytes: Buffer.from('CLIENT_RANDOM stored'), isLast: true },
  );
  issueAgentToken(stores.devices, {
    deviceId: 'pod-1',
    name: 'pod-1',
    role: 'publisher',
    testbedId: '',
    pool: 'load',
  });
  issueAgentToken(stores.devices, { deviceId: 'pi', name: 'pi', role: 'publisher', testbedId: '' });
  stores.sshDevices.addSshDevice({
    deviceId: 'pi',
    host: '192.0.2.1',
    port: 22,
    user: 'pi',
    hostKey: Buffer.from('key'),
  });
  server.close();
  const files: Record<string, string> = {
    'tls/authority.pem': 'certificate of the authority',
    'tls/authority.key': 'key of the authority',
    'tls/server.key': 'key of the server',
    'pki/bundle-key.pem': 'key of bundles',
    'pki/local/authority.pem': 'key of the testbed',
    'ssh/id_ed25519': 'key for devices',
    'agents/local-broker/token': 'token of an agent',
    'agents/local-broker/runs/7/broker/key.pem': 'key of a broker',
    'agents/local-publisher/outbox/7-publisher.files/keys.log': 'CLIENT_RANDOM waiting',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(at('data'), path)), { recursive: true });
    writeFileSync(join(at('data'), path), content);
  }
  writeFileSync(
    join(at('data'), 'agents', 'local-publisher', 'outbox', '7-publisher.json'),
    '{"waits":true}',
  );
  return { ...files, 'mqttlab.key': readFileSync(join(at('data'), 'mqttlab.key'), 'utf8') };
}

const inBackup = (secret: string): boolean => {
  const bytes = readFileSync(at('backup'));
  return [secret, Buffer.from(secret).toString('base64')].some((form) => bytes.includes(form));
};

it('leaves private keys out of a backup, and reports the required actions after a restore', async () => {
  const secrets = fillFolder();
  await writeBackup(at('data'), at('backup'));
  for (const [path, secret] of Object.entries(secrets))
    expect([path, inBackup(secret.trim())]).toEqual([path, false]);
  for (const secret of ['pass of the broker', 'whsec_hook', 'CLIENT_RANDOM stored'])
    expect(inBackup(secret)).toBe(false);
  expect(inBackup('{"waits":true}')).toBe(true);

  const { todo, hasMoreKeys } = await restoreBackup(at('backup'), at('restored'));
  expect(hasMoreKeys).toBe(false);
  const text = todo.join('\n');
  for (const named of ['tls/authority.pem', 'pod-1', 'testbed local', 'webhook secrets for #1', '1 run']) {
    expect(text).toContain(named);
  }
  expect(text).toMatch(/new SSH key.* pi\./);
  const restored = openDataFolder(at('restored'));
  expect(restored.unreadable).toEqual(['external_brokers.password', 'webhooks.secret']);
  const stores = makeStores(restored.database, restored.secrets);
  expect(stores.brokers.findExternalBroker('local')).toMatchObject({ hasPassword: false });
  expect(stores.webhooks.listWebhooks()).toHaveLength(1);
  restored.close();
});

it('includes encrypted private keys if there is a passphrase, and restores them', async () => {
  const secrets = fillFolder();
  await writeBackup(at('data'), at('backup'), passphrase);
  for (const [path, secret] of Object.entries(secrets))
    expect([path, inBackup(secret.trim())]).toEqual([path, false]);

  expect(await restoreBackup(at('backup'), at('restored'), passphrase)).toEqual({
    todo: [],
    hasMoreKeys: false,
  });
  for (const [path, secret] of Object.entries(secrets)) {
    expect(readFileSync(join(at('restored'), path), 'utf8')).toBe(secret);
    expect(statSync(join(at('restored'), path)).mode & 0o777).toBe(0o600);
  }
  const restored = openDataFolder(at('restored'));
  expect(restored.unreadable).toEqual([]);
  expect(
    makeStores(restored.database, restored.secrets).brokers.findBrokerCredentials('local')?.password,
  ).toBe('pass of the broker');
  restored.close();
  expect((await restoreBackup(at('backup'), at('without'))).hasMoreKeys).toBe(true);
  expect(() => statSync(join(at('without'), 'mqttlab.key'))).toThrow();
});

it('refuses a wrong or short passphrase, altered keys and a backup without keys', async () => {
  fillFolder();
  await expect(writeBackup(at('data'), at('short'), 'short')).rejects.toThrow(/fewer than 12/);
  expect(() => statSync(at('short'))).toThrow();
  await writeBackup(at('data'), at('without'));
  await expect(restoreBackup(at('without'), at('a'), passphrase)).rejects.toThrow(/without keys/);
  await writeBackup(at('data'), at('backup'), passphrase);
  await expect(restoreBackup(at('backup'), at('b'), 'another passphrase')).rejects.toThrow(
    /passphrase is wrong/,
  );
  const forged = new DatabaseSync(at('backup'));
  forged.exec(`UPDATE backup_keys SET header = replace(header, '"blockSize":8', '"blockSize":4')`);
  forged.close();
  await expect(restoreBackup(at('backup'), at('c'), passphrase)).rejects.toThrow(/was changed/);
  for (const name of ['a', 'b', 'c']) expect(() => statSync(databasePath(at(name)))).toThrow();
});
