import type { HostKeyAnswer, Installation } from '@mqttlab/shared/messages/devices';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiRig } from '../api/testing/api-rig.ts';
import { makeHostKey, startSshServer } from './testing/ssh-server.ts';

type Rig = Awaited<ReturnType<typeof startApiRig>>;

describe('the address of an added device', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startApiRig();
  });
  afterAll(() => rig.stop());

  /** As a user does: with the presented key, and a password that these servers do not accept. */
  const add = async (name: string, { host, port }: { host: string; port: number }) => {
    const shown = await rig.api('/devices/host-key', { method: 'POST', body: { host, port } });
    const { fingerprint } = shown.body as HostKeyAnswer;
    const login = { kind: 'password', password: 'wrong' };
    const body = { name, host, port, user: 'pi', fingerprint, login };
    const answer = await rig.api('/devices', { method: 'POST', body });
    await expect
      .poll(
        async () =>
          ((await rig.api(`/devices/${name}/installation`)).body as Installation | null)?.status ?? 'none',
      )
      .not.toBe('running');
    return answer;
  };
  const portOf = (name: string) => rig.sshDevices.findSshDevice(name)?.port;

  it('may change with the same host key, which identifies the machine; another key is another machine', async () => {
    const hostKey = makeHostKey();
    const [here, there, stranger] = [
      await startSshServer({ users: {}, hostKey }),
      await startSshServer({ users: {}, hostKey }),
      await startSshServer({ users: {} }),
    ];
    expect((await add('pi', here)).status).toBe(201);
    expect(portOf('pi')).toBe(here.port);
    expect((await add('pi', there)).status).toBe(201);
    expect(portOf('pi')).toBe(there.port);
    const other = await add('pi', stranger);
    expect([other.status, other.text]).toEqual([409, expect.stringContaining('another machine')]);
    expect(portOf('pi')).toBe(there.port);
  });

  it('refuses a second name for the same device', async () => {
    const server = await startSshServer({ users: {} });
    expect((await add('first', server)).status).toBe(201);
    const second = await add('second', server);
    expect([second.status, second.text]).toEqual([
      409,
      expect.stringContaining('is already the device first'),
    ]);
    expect(rig.sshDevices.findSshDevice('second')).toBeNull();
  });

  it('is that of the first of two simultaneous requests with the same name', async () => {
    const servers = [await startSshServer({ users: {} }), await startSshServer({ users: {} })];
    const answers = await Promise.all(servers.map((server) => add('twin', server)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(portOf('twin')).toBe(servers[answers.findIndex(({ status }) => status === 201)]?.port);
  });
});
