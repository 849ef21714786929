import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeQuickDraft } from '../fixtures/experiments.ts';
import { TestServer } from '../fixtures/server.ts';
import { labUsers } from './base-tree.ts';
import { makeCommandLine } from './fixtures/command-line.ts';
import { makeDeviceApi } from './fixtures/device-api.ts';
import { readDeviceState } from './fixtures/device-tree.ts';
import { labPaths } from './lab-paths.ts';
import { VirtualLab } from './virtual-lab.ts';

const paths = labPaths('plain');
const server = new TestServer();
const mqttlab = makeCommandLine(server);
let lab: VirtualLab;
const api = makeDeviceApi(
  () => server,
  () => lab,
);

beforeAll(async () => {
  await VirtualLab.find(paths)?.remove();
  lab = await VirtualLab.start(paths, { devices: 1, plain: true, onStep: () => undefined });
  await server.start();
});

afterAll(async () => {
  await server.remove();
  await lab?.remove();
});

const plan = makeQuickDraft({ testbedId: 'local', factors: { security: ['plain'] } });

it('the command line checks the requirements of a plan, and reports a remedy for missing ones', async () => {
  const file = join(server.dataFolder, 'plan.json');
  writeFileSync(file, JSON.stringify(plan));
  await expect.poll(async () => (await api.find('local-subscriber'))?.online, { timeout: 60_000 }).toBe(true);
  const tried = await mqttlab('preflight', file);
  expect(tried.said).toMatch(/^ok +Agent answers: local-broker, local-publisher, local-subscriber$/m);
  expect(tried.said).toContain('Nothing prevents a start.');
  expect(tried.code).toBe(0);
  const nowhere = await mqttlab('preflight', file, '--testbed', 'nowhere');
  expect([nowhere.code, nowhere.noted]).toEqual([1, expect.stringContaining('There is no testbed nowhere')]);
});

/** Simulates a Pi with a new SD card: a different key at the same address. */
async function changeHostKey(): Promise<void> {
  const key = '/etc/ssh/ssh_host_ed25519_key';
  const script = `rm ${key}*; ssh-keygen -q -t ed25519 -N "" -f ${key}; kill -HUP 1; pkill -KILL sshd-session`;
  expect(await lab.run('pi-1', ['sh', '-c', script])).toMatchObject({ code: 0 });
}

async function trustAgain(host: string, fingerprint: string): Promise<void> {
  const same = await mqttlab('device', 'trust', 'pi-1');
  expect([same.code, same.noted]).toEqual([0, expect.stringContaining('nothing to confirm')]);
  await changeHostKey();
  const session = async () => (await api.find('pi-1'))?.ssh?.session;
  await expect.poll(session, { timeout: 60_000 }).toBe('host-key-changed');
  const listed = await mqttlab('device', 'list');
  expect(listed.said).toMatch(/pi-1 +HOST KEY CHANGED/);
  expect(listed.noted).toContain('"device trust pi-1" compares the two keys');
  const wrong = await mqttlab('device', 'trust', 'pi-1', '--fingerprint', fingerprint);
  expect([wrong.code, wrong.noted]).toEqual([1, expect.stringContaining('nothing was sent')]);
  const { fingerprint: shown } = await api.hostKey({ host, port: 22 });
  expect(wrong.noted).toContain(`Pinned: ${fingerprint}\nShown:  ${shown}`);
  const trusted = await mqttlab('device', 'trust', 'pi-1', '--fingerprint', shown);
  expect([trusted.code, trusted.noted]).toEqual([0, expect.stringContaining('trusted with its new key')]);
  await api.whenOnline('pi-1');
}

const pids = async (pattern: string) => (await lab.run('pi-1', ['pgrep', '-f', pattern])).output.trim();

it('the command line installs, upgrades and removes an agent without systemd', async () => {
  const before = await readDeviceState(lab, 'pi-1');
  const { fingerprint, host } = await api.requestFor('pi-1');
  const wrong = `SHA256:${'A'.repeat(43)}`;
  const refused = await mqttlab('device', 'add', `pi@${host}`, 'pi-1', '--fingerprint', wrong);
  expect([refused.code, refused.noted]).toEqual([1, expect.stringContaining('nothing was sent')]);

  const added = await mqttlab('device', 'add', `pi@${host}`, 'pi-1', '--fingerprint', fingerprint);
  expect(added.noted).toContain('under a supervising shell');
  expect(added.noted).not.toContain(labUsers.pi.password);
  expect(added.code).toBe(0);
  await api.whenOnline('pi-1');
  const listed = await mqttlab('device', 'list');
  expect(listed.said).toMatch(
    new RegExp(`pi-1 +(online|degraded) .*pi@${host}:22 +${fingerprint.replaceAll('+', '\\+')}`),
  );

  const agent = await pids('^mqttlab-agent');
  await lab.run('pi-1', ['kill', '-KILL', agent]);
  await api.whenOnline('pi-1', false);
  await api.whenOnline('pi-1');
  expect(await pids('^mqttlab-agent')).not.toBe(agent);

  const upgraded = await mqttlab('device', 'upgrade', 'pi-1');
  expect(upgraded.noted).toContain('already present');
  expect(upgraded.code).toBe(0);
  await trustAgain(host, fingerprint);
  const removed = await mqttlab('device', 'remove', 'pi-1');
  expect([removed.code, removed.noted]).toEqual([
    0,
    expect.stringContaining('nothing from mqttlab is left on it'),
  ]);
  expect(await pids('mqttlab')).toBe('');
  const others = (lines: readonly string[]) => lines.filter((line) => !line.includes('ssh_host_'));
  expect(others(await readDeviceState(lab, 'pi-1'))).toEqual(others(before));
});
