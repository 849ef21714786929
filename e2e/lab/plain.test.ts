import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestServer } from '../fixtures/server.ts';
import { labUsers } from './base-tree.ts';
import { makeDeviceApi } from './fixtures/device-api.ts';
import { readDeviceState } from './fixtures/device-tree.ts';
import { labPaths } from './lab-paths.ts';
import { VirtualLab } from './virtual-lab.ts';

const paths = labPaths('plain');
const cli = join(dirname(dirname(import.meta.dirname)), 'dist', 'cli.mjs');
const server = new TestServer();
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

/** The command line as CI drives it: nobody to ask, the password in the environment. */
function mqttlab(...args: string[]): Promise<{ code: number | null; said: string; noted: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [cli, ...args, '--server', server.address], {
      env: { ...process.env, MQTTLAB_DEVICE_PASSWORD: labUsers.pi.password },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    let noted = '';
    child.stdout.on('data', (data: Buffer) => (said += data.toString()));
    child.stderr.on('data', (data: Buffer) => (noted += data.toString()));
    child.once('close', (code) => resolve({ code, said, noted }));
  });
}

const pids = async (pattern: string) => (await lab.run('pi-1', ['pgrep', '-f', pattern])).output.trim();

it('the command line installs, upgrades and removes an agent where there is no systemd', async () => {
  const before = await readDeviceState(lab, 'pi-1');
  const { fingerprint, host } = await api.wishFor('pi-1');
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
  expect(upgraded.noted).toContain('is there');
  expect(upgraded.code).toBe(0);
  const removed = await mqttlab('device', 'remove', 'pi-1');
  expect([removed.code, removed.noted]).toEqual([0, expect.stringContaining('nothing of mqttlab is on it')]);
  expect(await pids('mqttlab')).toBe('');
  expect(await readDeviceState(lab, 'pi-1')).toEqual(before);
});
