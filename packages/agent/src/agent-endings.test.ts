import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokerReadySchema } from '@mqttlab/shared/messages/agent';
import { expect, test } from 'vitest';
import { childrenOf, isRunning, startAgentProcess } from './testing/agent-process.ts';
import { makeTestCertificates } from './testing/certificates.ts';
import { type FakeServer, startFakeServer } from './testing/fake-server.ts';
import { makeStart, prepareBroker, prepareClient, startLabDevice } from './testing/lab.ts';
import { makeTestSpec } from './testing/specs.ts';
import { makeTemporaryFolder } from './testing/temporary-folder.ts';

const run = { runId: 5, spec: makeTestSpec(), tls: null };

async function startBroker(server: FakeServer, runId = 5, spec = run.spec) {
  return brokerReadySchema.parse(await server.mustDo(runId, prepareBroker({ ...run, runId, spec })));
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** An agent process with a broker and, on a second device, a publisher that is connected to it. */
async function startPair(brokers: 'mosquitto' | 'embedded') {
  const servers = { broker: await startFakeServer(), publisher: await startFakeServer() };
  const agents = {
    broker: startAgentProcess({ server: servers.broker, dataFolder: makeTemporaryFolder(), brokers }),
    publisher: startAgentProcess({ server: servers.publisher, dataFolder: makeTemporaryFolder(), brokers }),
  };
  await Promise.all([servers.broker.waitFor('hello'), servers.publisher.waitFor('hello')]);
  const { port } = await startBroker(servers.broker, 5, makeTestSpec({ broker: brokers }));
  await servers.publisher.mustDo(5, prepareClient(run, 'publisher', port));
  await servers.publisher.mustDo(5, { kind: 'connect' });
  const children = [...childrenOf(agents.broker.pid), ...childrenOf(agents.publisher.pid)];
  expect(children.map(({ command }) => command)).toHaveLength(2);
  return { servers, agents, children };
}

test('a start after the beginning of the measure phase fails the run, with the delay', async () => {
  const { server } = await startLabDevice();
  await startBroker(server);
  const { measureAtUs, ...start } = makeStart(run.spec);
  expect(await server.command(5, { ...start, measureAtUs: measureAtUs - 2_000_000 })).toMatchObject({
    ok: false,
    error: { code: 'start-late', message: expect.stringMatching(/ready \d+ ms after the measure phase/) },
  });
  await server.mustDo(5, { kind: 'teardown' });
  expect((await server.result('5-broker')).failure?.code).toBe('start-late');
});

test.each(['mosquitto', 'embedded'] as const)(
  'SIGTERM ends the run, with %s, and leaves nothing behind',
  async (brokers) => {
    const { servers, agents, children } = await startPair(brokers);
    for (const role of ['publisher', 'broker'] as const) {
      agents[role].signal('SIGTERM');
      expect(await agents[role].ended).toBe(0);
      const result = await servers[role].result(`5-${role}`);
      expect(result.failure?.code).toBe('agent-stopped');
      expect(filesIn(join(agents[role].dataFolder, 'runs'))).toEqual([]);
      expect(filesIn(join(agents[role].dataFolder, 'children'))).toEqual([]);
    }
    expect(children.filter(({ pid }) => isRunning(pid!))).toEqual([]);
  },
);

test.each(['mosquitto', 'embedded'] as const)(
  'SIGKILL leaves no process behind, with %s, and no files after the next start',
  async (brokers) => {
    const { servers, agents, children } = await startPair(brokers);
    for (const role of ['publisher', 'broker'] as const) {
      agents[role].signal('SIGKILL');
      await agents[role].ended;
    }
    await expect.poll(() => children.filter(({ pid }) => isRunning(pid!))).toEqual([]);
    const { dataFolder } = agents.broker;
    expect(filesIn(join(dataFolder, 'runs'))).toEqual(['5-broker']);
    servers.broker.frames.length = 0;
    startAgentProcess({ server: servers.broker, dataFolder, brokers });
    await servers.broker.waitFor('hello');
    expect(filesIn(join(dataFolder, 'runs'))).toEqual([]);
    expect(filesIn(join(dataFolder, 'children'))).toEqual([]);
  },
);

test('a second agent does not touch the data folder of the first', async () => {
  const { dataFolder } = await startLabDevice();
  const server = await startFakeServer();
  const second = startAgentProcess({ server, dataFolder });
  expect(await second.ended).toBe(1);
  expect(second.log).toContain('Another agent');
});

test('missing options are explained', async () => {
  const server = await startFakeServer();
  const agent = startAgentProcess({ server, dataFolder: makeTemporaryFolder(), brokers: 'nonsense' });
  expect(await agent.ended).toBe(2);
  expect(agent.log).toContain('--token-file');
});

test('a broker that dies during a run is reported at once and in its result', async () => {
  const { server } = await startLabDevice();
  const { pid } = await startBroker(server);
  await server.mustDo(5, makeStart(run.spec));
  process.kill(pid!, 'SIGKILL');
  expect(await server.waitFor('trouble')).toMatchObject({
    runId: 5,
    role: 'broker',
    error: { code: 'broker-died' },
  });
  expect(await server.command(5, { kind: 'drain', expected: null })).toMatchObject({ ok: false });
  await server.mustDo(5, { kind: 'teardown' });
  const result = await server.result('5-broker');
  expect(result.failure?.code).toBe('broker-died');
  await startBroker(server, 6);
  expect(server.faults).toEqual([]);
});

test('a run is ended when the server stays unreachable', async () => {
  const { server } = await startLabDevice({ serverLossMs: 100 });
  const { pid } = await startBroker(server);
  await server.goAway();
  await expect.poll(() => isRunning(pid!)).toBe(false);
  await server.listenAgain();
  expect((await server.result('5-broker')).failure?.code).toBe('server-lost');
  await startBroker(server, 6);
});

test('abort at any time ends the run, with the reason', async () => {
  const { server, dataFolder } = await startLabDevice();
  const preparing = server.command(5, prepareBroker(run));
  await server.mustDo(5, { kind: 'abort', reason: 'cancelled by the user' });
  await preparing;
  const { failure } = await server.result('5-broker');
  expect(failure).toMatchObject({
    code: 'aborted',
    message: expect.stringContaining('cancelled by the user'),
  });
  expect(filesIn(join(dataFolder, 'runs'))).toEqual([]);
  await server.mustDo(5, { kind: 'abort', reason: 'again' });
  await server.mustDo(99, { kind: 'abort', reason: 'unknown run' });
});

test('commands out of order are refused and change nothing', async () => {
  const { server } = await startLabDevice();
  const refusal = { ok: false, error: { code: 'wrong-order' } };
  expect(await server.command(5, makeStart(run.spec))).toMatchObject(refusal);
  expect(await server.command(5, { kind: 'teardown' })).toMatchObject(refusal);
  const { pid } = await startBroker(server);
  expect(await server.command(5, { kind: 'connect' })).toMatchObject(refusal);
  expect(await server.command(5, { kind: 'drain', expected: null })).toMatchObject(refusal);
  expect(await server.command(6, makeStart(run.spec))).toMatchObject(refusal);
  expect(await server.command(6, prepareBroker(run))).toMatchObject({ ok: false, error: { code: 'busy' } });
  expect(await server.command(5, prepareBroker(run))).toMatchObject({ ok: false, error: { code: 'busy' } });
  expect(isRunning(pid!)).toBe(true);
  await server.mustDo(5, { kind: 'teardown' });
  expect((await server.result('5-broker')).failure).toBeNull();
  await server
    .mustDo(5, { kind: 'teardown' })
    .catch((error) => expect(String(error)).toContain('wrong-order'));
});

test('a broker that cannot start is reported at once, and the next run succeeds', async () => {
  const { server, dataFolder } = await startLabDevice();
  const tls = { ...makeTestCertificates('ECDSA P-256'), privateKey: 'nonsense' };
  const spec = makeTestSpec({ security: 'TLS 1.3', cipherSuite: 'TLS_AES_128_GCM_SHA256', group: 'X25519' });
  const outcome = await server.command(5, prepareBroker({ runId: 5, spec, tls }));
  expect(outcome).toMatchObject({ ok: false, error: { code: 'broker-start' } });
  await startBroker(server, 6);
  expect((await server.result('5-broker')).failure?.code).toBe('broker-start');
  expect(filesIn(join(dataFolder, 'runs'))).toEqual(['6-broker']);
});

test('a link without an interface on this device is refused with the available links', async () => {
  const { server } = await startLabDevice();
  const spec = makeTestSpec({ link: 'wifi' });
  const outcome = await server.command(5, prepareBroker({ runId: 5, spec, tls: null }));
  expect(outcome).toMatchObject({
    ok: false,
    error: { code: 'link-missing', message: expect.stringContaining('lo') },
  });
});

test('a client uses no other route than its link either', async () => {
  const { server } = await startLabDevice();
  const spec = makeTestSpec({ link: 'wifi' });
  const outcome = await server.command(5, prepareClient({ ...run, spec }, 'publisher', 1883));
  expect(outcome).toMatchObject({ ok: false, error: { code: 'link-missing' } });
});

test('broker and load do not receive the agent token', async () => {
  const { servers, children } = await startPair('mosquitto');
  for (const { pid } of children) {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    expect(environment).toContain('PATH=');
    for (const { token } of Object.values(servers)) expect(environment).not.toContain(token);
  }
});

test('an agent ends with the server that started it, and leaves nothing behind', async () => {
  const server = await startFakeServer();
  const dataFolder = makeTemporaryFolder();
  const agent = startAgentProcess({ server, dataFolder, child: true });
  await server.waitFor('hello');
  await startBroker(server);
  const children = childrenOf(agent.pid);
  expect(children).toHaveLength(1);
  agent.abandon();
  expect(await agent.ended).toBe(0);
  expect(children.filter(({ pid }) => isRunning(pid))).toEqual([]);
  expect(filesIn(join(dataFolder, 'outbox')).length).toBeLessThanOrEqual(1);
});
