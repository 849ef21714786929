import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AddDevice } from '@mqttlab/shared/messages/devices';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../fixtures/server.ts';
import { labUsers } from './base-tree.ts';
import { makeDeviceApi } from './fixtures/device-api.ts';
import { readDeviceState } from './fixtures/device-tree.ts';
import { labPaths } from './lab-paths.ts';
import { VirtualLab } from './virtual-lab.ts';

const paths = labPaths('refuse');
const server = new TestServer();
let lab: VirtualLab;
const api = makeDeviceApi(
  () => server,
  () => lab,
);

beforeAll(async () => {
  await VirtualLab.find(paths)?.remove();
  lab = await VirtualLab.start(paths, { devices: 1, plain: false, onStep: () => undefined });
  // Since OpenSSH 9.8, an address is blocked for a time after failed logins, which is a separate test.
  await shell("echo 'PerSourcePenalties no' > /etc/ssh/sshd_config.d/b.conf; systemctl restart ssh");
  await server.start();
});

afterAll(async () => {
  await server.remove();
  await lab?.remove();
});

const shell = (script: string) => lab.run('pi-1', ['sh', '-c', script]);
const labKey = () => readFileSync(lab.inventory().devices[0]?.keyFile ?? '', 'utf8');

/** Tries to add the device, then removes it. Returns the failure. */
async function failureOf(change: Partial<AddDevice>) {
  const name = 'tried';
  const { failure, steps } = await api.add({ ...(await api.requestFor('pi-1')), name, ...change });
  await server.api('DELETE', `/devices/${name}`, { forget: true });
  return { ...failure, at: steps.find(({ status }) => status === 'failed')?.id };
}

describe('an invalid address', () => {
  it.each([
    ['an unknown host name', { host: 'no-such-host.invalid', port: 22 }, /No machine with the name/],
    ['a port where nothing listens', { port: 23 }, /refused the connection on port 23/],
  ])('%s is refused at once', async (_what, change, words) => {
    const address = { host: lab.device('pi-1').addresses.ethernet, ...change };
    await expect(server.api('POST', '/devices/host-key', address)).rejects.toThrow(words);
  });

  it('is rejected if its key differs from the confirmed one', async () => {
    const request = { ...(await api.requestFor('pi-1')), fingerprint: `SHA256:${'A'.repeat(43)}` };
    await expect(server.api('POST', '/devices', request)).rejects.toThrow(/409.*different host key/);
    expect(await api.find('pi-1')).toBeUndefined();
    const { output } = await shell('journalctl -u ssh --no-pager');
    expect(output).not.toContain('Accepted password');
  });
});

describe('an invalid login', () => {
  it('with the wrong password names the field', async () => {
    const failure = await failureOf({ login: { kind: 'password', password: 'wrong' } });
    expect(failure).toMatchObject({ code: 'password-refused', at: 'login', field: 'login.password' });
  });

  it('with an unknown server key shows the line to add', async () => {
    const failure = await failureOf({ login: { kind: 'server-key' } });
    expect(failure).toMatchObject({ code: 'key-refused', at: 'login' });
    expect(failure.remedy).toMatch(/ssh-ed25519 \S+ mqttlab/);
  });

  it('with an unknown private key names the field', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    const failure = await failureOf({ login: { kind: 'key', privateKey } });
    expect(failure).toMatchObject({ code: 'key-refused', at: 'login', field: 'login.privateKey' });
  });

  it('without sudo names users with sudo', async () => {
    const login = { kind: 'password', password: labUsers.guest.password } as const;
    expect(await failureOf({ user: 'guest', login })).toMatchObject({ code: 'sudo-missing', field: 'user' });
  });

  it('with a sudo password prompt requests the password and accepts it', async () => {
    const byKey = { kind: 'key', privateKey: labKey() } as const;
    const without = await failureOf({ user: 'careful', login: byKey });
    expect(without).toMatchObject({ code: 'sudo-password', at: 'privileges', field: 'sudoPassword' });
    const wrong = await failureOf({ user: 'careful', login: { ...byKey, sudoPassword: 'wrong' } });
    expect(wrong).toMatchObject({ code: 'sudo-password-wrong', field: 'sudoPassword' });
    const before = await readDeviceState(lab, 'pi-1');
    const { password: sudoPassword } = labUsers.careful;
    const request = { ...(await api.requestFor('pi-1')), user: 'careful', login: { ...byKey, sudoPassword } };
    expect((await api.add(request)).failure).toBeNull();
    await server.api('DELETE', '/devices/pi-1', {});
    expect((await api.settled('pi-1')).failure).toMatchObject({ code: 'sudo-password' });
    await server.api('DELETE', '/devices/pi-1', { sudoPassword });
    await expect.poll(() => api.find('pi-1'), { timeout: 60_000 }).toBeUndefined();
    // The server's key from earlier attempts is removed as well.
    const isKey = (line: string): boolean => line.includes('authorized_keys');
    const after = await readDeviceState(lab, 'pi-1');
    expect(after.filter((line) => !isKey(line))).toEqual(before.filter((line) => !isKey(line)));
  });
});

describe('an unsupported device', () => {
  it('with a 32-bit system gets a remedy', async () => {
    const fake = '/usr/local/sbin/uname';
    await shell(
      `printf '#!/bin/sh\\n[ "$1" = -m ] && echo armv7l || exec /usr/bin/uname "$@"\\n' > ${fake}; chmod +x ${fake}`,
    );
    const failure = await failureOf({}).finally(() => shell(`rm ${fake}`));
    expect(failure).toMatchObject({ code: 'architecture', at: 'probe' });
    expect(failure.remedy).toContain('Raspberry Pi OS (64-bit)');
  });

  it('with a full disk is not changed', async () => {
    await shell('mkdir -p /opt && mount -t tmpfs -o size=40m tmpfs /opt');
    const failure = await failureOf({});
    const { output } = await shell('find /opt -type f -size +1k; umount /opt');
    expect(failure).toMatchObject({ code: 'disk-full', at: 'runtime' });
    expect(output).toBe('');
  });

  it('without port forwarding in sshd is reported', async () => {
    const file = '/etc/ssh/sshd_config.d/a.conf';
    await shell(`echo 'AllowTcpForwarding no' > ${file}; systemctl restart ssh`);
    const failure = await failureOf({}).finally(() => shell(`rm ${file}; systemctl restart ssh`));
    expect(failure).toMatchObject({ code: 'forward-refused', at: 'service' });
  });

  it('continues where the last attempt stopped', async () => {
    const { failure, steps } = await api.add(await api.requestFor('pi-1'));
    expect(failure).toBeNull();
    expect(steps.find(({ id }) => id === 'runtime')?.detail).toMatch(/already present$/);
    expect(await api.remove('pi-1')).toBeNull();
  });
});

describe('shell text in a field', () => {
  const evil = [
    '$(touch /tmp/owned)',
    '`touch /tmp/owned`',
    "'; touch /tmp/owned; '",
    'a\ntouch /tmp/owned',
    '-oProxyCommand=touch /tmp/owned',
  ];

  it.each(evil)('is rejected: %j', async (text) => {
    const good = await api.requestFor('pi-1');
    for (const field of ['name', 'host', 'user', 'fingerprint'] as const) {
      await expect(server.api('POST', '/devices', { ...good, [field]: text })).rejects.toThrow(/: 422 /);
    }
    for (const path of ['upgrade', 'drain', 'host-key']) {
      await expect(server.api('POST', `/devices/${encodeURIComponent(text)}/${path}`, {})).rejects.toThrow(
        /: 4\d\d /,
      );
    }
  });

  it('in a password is only a wrong password', async () => {
    for (const password of evil.slice(0, 2)) {
      const failure = await failureOf({ login: { kind: 'password', password } });
      expect(failure.code).toBe('password-refused');
      const sudo = { kind: 'key', privateKey: labKey(), sudoPassword: password } as const;
      expect((await failureOf({ user: 'careful', login: sudo })).code).toBe('sudo-password-wrong');
    }
    expect((await shell('ls /tmp/owned')).code).not.toBe(0);
  });
});
