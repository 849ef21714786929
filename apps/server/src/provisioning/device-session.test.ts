import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { startApiRig } from '../api/testing/api-rig.ts';
import { DeviceSession } from './device-session.ts';
import { makeKeyPair } from './log-in.ts';
import { readHostKey } from './ssh-session.ts';
import { startSshServer } from './testing/ssh-server.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A port that accepts connections and never sends anything. */
async function startSilentPort(): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

function keyPair() {
  const { private: privateKey, public: publicLine } = makeKeyPair();
  return { privateKey, publicLine };
}

async function makeSession(
  port: number,
  hostKey: Awaited<ReturnType<typeof readHostKey>>,
): Promise<DeviceSession> {
  return new DeviceSession({
    key: keyPair(),
    request: { host: '127.0.0.1', port, user: 'pi', hostKey },
    connection: 'tunnel',
    directAddress: () => '',
    onAgent: () => {},
    onChange: () => {},
  });
}

test('a session that is stopped while it connects stops immediately and rejects all pending waits', async () => {
  const { host, port } = await startSshServer({ users: {} });
  const hostKey = await readHostKey({ host, port });
  const silent = await startSilentPort();
  const session = await makeSession(silent.port, hostKey);
  session.start();
  const ready = session.ready;
  const outcome = ready.then(
    () => 'ready',
    (error: Error) => error.message,
  );
  await expect.poll(() => silent.sockets.size).toBe(1);
  await session.stop();
  expect(await outcome).toMatch(/stopped/);
  expect(session.state).toBe('none');
  await expect(session.ready).rejects.toThrow(/stopped/);
});

test('the host key of a device cannot be changed while work on it is in progress', async () => {
  const rig = await startApiRig();
  ends.push(() => rig.stop());
  const server = await startSshServer({ users: { pi: 'secret' }, onCommand: () => {} });
  ends.push(() => rig.services.devices.remote.stop());
  const { host, port } = server;
  const shown = await rig.api('/devices/host-key', { method: 'POST', body: { host, port } });
  const { fingerprint } = shown.body as { fingerprint: string };
  const login = { kind: 'password', password: 'secret' };
  const body = { name: 'pi', host, port, user: 'pi', fingerprint, login };
  expect((await rig.api('/devices', { method: 'POST', body })).status).toBe(201);
  await expect.poll(() => server.commands.length).toBeGreaterThan(0);
  const answer = await rig.api('/devices/pi/host-key', { method: 'PUT', body: { fingerprint } });
  expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('in progress')]);
});
