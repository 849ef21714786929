import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { ExternalBroker as Setting } from '@mqttlab/shared/domain/devices/external-broker';
import type { TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { expect, onTestFinished, test } from 'vitest';
import { startTestBroker } from '../load/testing/test-broker.ts';
import { makeExternalBroker } from '../testing/external-broker.ts';
import { writeFileTree } from '../testing/file-tree.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { ExternalBroker, findBrokerProcess, withDescendants } from './external.ts';
import { pickFreePort } from './ports.ts';

function makeBroker(setting: Setting, spec: Partial<TrialSpec> = {}, log: string[] = []) {
  return new ExternalBroker({
    setting,
    spec: makeTestSpec({ broker: 'external', ...spec }),
    procRoot: '/proc',
    sysRoot: '/sys',
    onLog: (_level, text) => void log.push(text),
  });
}

async function startForeign() {
  const foreign = await startTestBroker();
  onTestFinished(() => foreign.stop());
  return foreign;
}

test('finds the process that listens, among others of its name, and leaves it running', async () => {
  const [other, foreign] = [await startForeign(), await startForeign()];
  const broker = makeBroker(makeExternalBroker({ port: foreign.port, process: 'mosquitto' }));
  const ready = await broker.start();
  expect(ready).toEqual({
    address: '127.0.0.1',
    port: foreign.port,
    kind: 'external',
    version: 'Somebody’s',
    pid: foreign.pid,
  });
  expect(broker.processes).toEqual([foreign.pid]);
  expect(broker.degraded).toBeNull();
  await broker.stop();
  expect([foreign.pid, other.pid].every((pid) => existsSync(`/proc/${pid}`))).toBe(true);
  expect(await broker.pidNow()).toBe(foreign.pid);
});

test('is measured without a process if none is named, and reports a named one that does not exist', async () => {
  const { port } = await startForeign();
  const unnamed = makeBroker(makeExternalBroker({ port }));
  expect((await unnamed.start()).pid).toBeNull();
  expect(unnamed.degraded).toBeNull();
  const log: string[] = [];
  const wrong = makeBroker(makeExternalBroker({ port, process: 'no-such-broker' }), {}, log);
  expect((await wrong.start()).pid).toBeNull();
  expect(wrong.degraded).toContain('no-such-broker');
  expect(log.join()).toContain('no-such-broker');
  const unit = makeBroker(makeExternalBroker({ port, unit: 'no-such-broker.service' }));
  await unit.start();
  expect(unit.degraded).toContain('no-such-broker.service');
});

test('chooses the port by security and transport, and refuses what is not offered', async () => {
  const { port } = await startForeign();
  const offered = { port, tlsPort: port, websocketPort: port };
  const none = { port: null, tlsPort: null, websocketPort: null };
  const tls = { security: 'TLS 1.3', cipherSuite: 'TLS_AES_128_GCM_SHA256', group: 'X25519' } as const;
  for (const [spec, name] of [
    [{}, 'port'],
    [tls, 'tlsPort'],
    [{ transport: 'websocket' }, 'websocketPort'],
  ] as const) {
    expect((await makeBroker(makeExternalBroker({ ...none, [name]: port }), spec).start()).port).toBe(port);
    const lacking = makeBroker(makeExternalBroker({ ...offered, [name]: null }), spec);
    await expect(lacking.start()).rejects.toMatchObject({ report: { code: 'no-broker' } });
  }
  const both = makeBroker(makeExternalBroker(offered), { ...tls, transport: 'websocket' });
  await expect(both.start()).rejects.toMatchObject({ report: { code: 'no-broker' } });
});

test('reports that it cannot be reached: nothing listens, or the name is unknown', async () => {
  const port = await pickFreePort('127.0.0.1');
  const failure = { code: 'broker-unreachable', message: expect.stringContaining('Somebody’s') };
  await expect(makeBroker(makeExternalBroker({ port })).start()).rejects.toMatchObject({ report: failure });
  const unknown = makeExternalBroker({ port, address: 'no-such-host.invalid' });
  await expect(makeBroker(unknown).start()).rejects.toMatchObject({ report: failure });
});

test('includes its helper processes', async () => {
  const shell = spawn('sh', ['-c', 'sleep 60 & sleep 60 & wait'], { stdio: 'ignore', detached: true });
  onTestFinished(() => void process.kill(-shell.pid!, 'SIGKILL'));
  await expect.poll(() => withDescendants('/proc', shell.pid!).length).toBe(3);
  expect(withDescendants('/proc', shell.pid!)[0]).toBe(shell.pid);
  expect(withDescendants('/proc', 4_194_304)).toEqual([]);
});

test('a unit that systemd does not report is read from its cgroup, in either version', async () => {
  const query = { procRoot: '/proc', process: null, unit: 'nanomq-test', port: 1 };
  for (const folder of ['sys/fs/cgroup', 'sys/fs/cgroup/systemd']) {
    const root = makeTemporaryFolder();
    writeFileTree(root, { [`${folder}/system.slice/nanomq-test.service/cgroup.procs`]: '4711\n4712\n' });
    expect(await findBrokerProcess({ ...query, sysRoot: `${root}/sys` })).toEqual({ pid: 4711, doubt: null });
  }
});

test('among several processes of one name that listen elsewhere, the oldest is used and marked as uncertain', async () => {
  const root = makeTemporaryFolder();
  const stat = (pid: number, ticks: number) =>
    `${pid} (beam.smp) S 1 ${Array(17).fill(0).join(' ')} ${ticks} 0 0\n`;
  writeFileTree(root, {
    '40/comm': 'beam.smp\n',
    '40/stat': stat(40, 900),
    '50/comm': 'sh\n',
    '50/cmdline': 'sh\0/usr/lib/emqx/bin/beam.smp\0',
    '50/stat': stat(50, 300),
    'sys/kernel/random/boot_id': 'boot-1\n',
  });
  const query = { procRoot: root, sysRoot: root, process: 'beam.smp', unit: null, port: 1 };
  expect(await findBrokerProcess(query)).toEqual({ pid: 50, doubt: expect.stringContaining('2 processes') });
});

// 2852039166 is 169.254.169.254 for every resolver.
test.each(['169.254.169.254', '2852039166', 'fe80::1', '::ffff:169.254.169.254', '0.0.0.0'])(
  'is not searched at %s, a metadata or multicast address',
  async (address) => {
    const broker = makeBroker(makeExternalBroker({ address, port: 1883 }));
    await expect(broker.start()).rejects.toThrow(
      /is not usable: .*(link-local or metadata|not the address of a single)/,
    );
  },
);
