import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerChannel } from 'ssh2';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeServerEvents } from '../base/events.ts';
import { issueAgentToken } from '../devices/agent-tokens.ts';
import { makeTestStores } from '../testing/stores-factory.ts';
import { ensureServerKey } from './log-in.ts';
import { makeRemoteDevices, type RemoteDevices } from './remote-devices.ts';
import { makeRuntimeFiles } from './runtime-files.ts';
import { readHostKey } from './ssh-session.ts';
import { startSshServer } from './testing/ssh-server.ts';

let folder: string;
let remoteDevices: RemoteDevices;
const stores = makeTestStores();
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mqttlab-trust-'));
  remoteDevices = makeRemoteDevices({
    stores,
    agents: { findAgent: () => null },
    key: () => ensureServerKey(join(folder, 'ssh')),
    files: makeRuntimeFiles({ projectRoot: folder, cacheFolder: join(folder, 'cache') }),
    isInUse: () => false,
    live: { note: () => undefined },
    events: makeServerEvents(),
    nowMs: Date.now,
  });
});
afterEach(async () => {
  await remoteDevices.stop();
  rmSync(folder, { recursive: true });
});

it('writes a new authority over SSH to devices that connect directly, including one that was off', async () => {
  const written: string[] = [];
  const onCommand = (_command: string, channel: ServerChannel): void => {
    let text = '';
    channel.on('data', (data: Buffer) => {
      text += data.toString();
    });
    channel.on('end', () => {
      written.push(text);
      channel.exit(0);
      channel.end();
    });
  };
  const options = { users: { pi: '' }, keys: [ensureServerKey(join(folder, 'ssh')).publicLine], onCommand };
  const near = await startSshServer(options);
  const far = await startSshServer(options);
  for (const [deviceId, { host, port }] of Object.entries({ near, far })) {
    issueAgentToken(stores.devices, { deviceId, name: deviceId, role: 'publisher', testbedId: '' });
    const hostKey = (await readHostKey({ host, port })).blob;
    stores.sshDevices.addSshDevice({ deviceId, host, port, user: 'pi', hostKey });
    stores.sshDevices.updateSshDevice(deviceId, { connection: 'direct' });
  }
  await far.stop();
  remoteDevices.start({ urlAt: () => 'https://192.0.2.1:8080', pinned: 'OLD' });
  await expect.poll(() => written).toEqual(['https://192.0.2.1:8080\nOLD']);

  // The distant device answers after the timeout: its session keeps trying.
  const trusting = remoteDevices.trust(['OLD\n', 'NEW\n'], 10_000);
  expect(Object.fromEntries(await trusting)).toEqual({ near: true, far: false });
  expect(written.at(-1)).toBe('https://192.0.2.1:8080\nOLD\nNEW\n');
  await startSshServer({ ...options, port: far.port, hostKey: far.hostKey });
  await expect.poll(() => written.length).toBe(3);
  expect(written.at(-1)).toBe('https://192.0.2.1:8080\nOLD\nNEW\n');
});
