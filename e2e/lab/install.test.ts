import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '@mqttlab/shared/messages/devices';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../fixtures/server.ts';
import { labUsers } from './base-tree.ts';
import { makeDeviceApi } from './fixtures/device-api.ts';
import { readDeviceState } from './fixtures/device-tree.ts';
import { labPaths } from './lab-paths.ts';
import { VirtualLab } from './virtual-lab.ts';

const paths = labPaths('install');
const { password } = labUsers.pi;
let lab: VirtualLab;
const server = new TestServer();
const api = makeDeviceApi(
  () => server,
  () => lab,
);

beforeAll(async () => {
  await VirtualLab.find(paths)?.remove();
  lab = await VirtualLab.start(paths, { devices: 2, plain: false, onStep: () => undefined });
  await server.start({ LOG_LEVEL: 'trace' });
});

afterAll(async () => {
  await server.remove();
  await lab?.remove();
});

function detailOf({ steps }: Installation, id: string): string | undefined {
  return steps.find((step) => step.id === id)?.detail;
}

async function onDevice(name: string, script: string): Promise<string> {
  const { output } = await lab.run(name, ['sh', '-c', script]);
  return output.trim();
}

const agentPid = (name: string) => onDevice(name, 'systemctl show --value -p MainPID mqttlab-agent');

/** All files and output of the server. */
function everythingKept(): string {
  const files = readdirSync(server.dataFolder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.gz'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'));
  return [...texts, server.words].join('\n');
}

describe('a device added over SSH', () => {
  it('gets a hardened agent, and a repeated installation changes nothing', async () => {
    const first = await api.add(await api.requestFor('pi-1'));
    expect(first.failure).toBeNull();
    expect(first.steps.map(({ status }) => status)).toEqual(first.steps.map(() => 'done'));
    expect(detailOf(first, 'runtime')).toMatch(/^Node 24\.\S+ copied$/);
    await api.whenOnline('pi-1');
    const pid = await agentPid('pi-1');

    const second = await api.add(await api.requestFor('pi-1'));
    expect(second.failure).toBeNull();
    expect(detailOf(second, 'runtime')).toMatch(/already present$/);
    expect(detailOf(second, 'agent')).toMatch(/already present$/);
    expect(await agentPid('pi-1')).toBe(pid);
    const took = ({ startedAt, finishedAt }: Installation) => (finishedAt ?? 0) - startedAt;
    console.log(`installed in ${took(first)} ms, again in ${took(second)} ms`);
  });

  it('runs it with minimal privileges', async () => {
    const status = await onDevice(
      'pi-1',
      `grep -E '^(Uid|CapEff|NoNewPrivs)' /proc/${await agentPid('pi-1')}/status`,
    );
    const uid = await onDevice('pi-1', 'id -u mqttlab-agent');
    expect(status).toMatch(new RegExp(`^Uid:\\t${uid}\\t`));
    // CAP_NET_ADMIN is bit 12, CAP_PERFMON bit 38; the container may hold the second back.
    expect(status).toMatch(/CapEff:\t000000[04]000001000/);
    expect(status).toMatch(/NoNewPrivs:\t1/);
  });

  it('stores neither passwords nor readable secrets', async () => {
    expect(everythingKept()).not.toContain(password);
    expect(statSync(join(server.dataFolder, 'ssh', 'id_ed25519')).mode & 0o777).toBe(0o600);
    const files = await onDevice(
      'pi-1',
      'stat -c "%a %U %n" /opt/mqttlab-agent/token /opt/mqttlab-agent/node',
    );
    expect(files).toBe('600 mqttlab-agent /opt/mqttlab-agent/token\n755 root /opt/mqttlab-agent/node');
    expect(await onDevice('pi-1', `grep -rl ${password} /opt /home /var/lib /var/log 2>/dev/null`)).toBe('');
  });

  it('blocks access from the device to the API through the tunnel', async () => {
    const url = await onDevice('pi-1', 'cat /opt/mqttlab-agent/server');
    const ask = `/opt/mqttlab-agent/node -e "fetch('${url}/api/v1/devices').then((r) => console.log(r.status))"`;
    expect(await onDevice('pi-1', ask)).toBe('404');
  });

  it('reconnects after its agent or the server was killed', async () => {
    const before = await agentPid('pi-1');
    await onDevice('pi-1', `kill -KILL ${before}`);
    await api.whenOnline('pi-1', false);
    await api.whenOnline('pi-1');
    const pid = await agentPid('pi-1');
    expect(pid).not.toBe(before);
    await server.kill();
    await server.start();
    await api.whenOnline('pi-1');
    // It connected to the new tunnel without a restart.
    expect(await agentPid('pi-1')).toBe(pid);
  });

  // For disconnected cables during runs, see themes/network.ts.
  it('reconnects after its sshd was killed', async () => {
    const pid = await agentPid('pi-1');
    await onDevice('pi-1', 'pkill -KILL sshd; systemctl restart ssh');
    await api.whenOnline('pi-1', false);
    await api.whenOnline('pi-1');
    expect(await agentPid('pi-1')).toBe(pid);
  });

  it('reconnects after a power cut', async () => {
    await lab.cutPower('pi-1');
    await api.whenOnline('pi-1', false);
    await lab.switchOn('pi-1');
    await api.whenOnline('pi-1');
  });

  it('is repaired by an upgrade if its agent is damaged', async () => {
    await onDevice('pi-1', 'echo spoilt > /opt/mqttlab-agent/agent.mjs; systemctl restart mqttlab-agent');
    await api.whenOnline('pi-1', false);
    const upgraded = await api.upgrade('pi-1');
    expect(upgraded.failure).toBeNull();
    expect(detailOf(upgraded, 'agent')).toMatch(/copied$/);
    await api.whenOnline('pi-1');
  });

  it('is removed completely', async () => {
    const before = await readDeviceState(lab, 'pi-2');
    expect((await api.add(await api.requestFor('pi-2'))).failure).toBeNull();
    expect(await readDeviceState(lab, 'pi-2')).not.toEqual(before);
    expect(await api.remove('pi-2')).toBeNull();
    expect(await readDeviceState(lab, 'pi-2')).toEqual(before);
  });

  it('is blocked after a host key change until the new key is confirmed', async () => {
    const { host, port, fingerprint } = await api.requestFor('pi-1');
    await onDevice(
      'pi-1',
      'rm /etc/ssh/ssh_host_ed25519_key*; ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/ssh_host_ed25519_key',
    );
    await onDevice('pi-1', 'systemctl restart ssh; pkill -KILL sshd-session');
    await expect
      .poll(async () => (await api.find('pi-1'))?.ssh?.session, { timeout: 60_000 })
      .toBe('host-key-changed');
    expect((await api.find('pi-1'))?.ssh?.trouble).toContain('HAS CHANGED');
    const seen = await api.hostKey({ host, port });
    expect(seen.changedFor).toEqual(['pi-1']);
    expect((await api.upgrade('pi-1')).failure?.code).toBe('host-key-changed');
    await expect(server.api('PUT', '/devices/pi-1/host-key', { fingerprint })).rejects.toThrow('409');
    await server.api('PUT', '/devices/pi-1/host-key', { fingerprint: seen.fingerprint });
    await api.whenOnline('pi-1');
  });
});
