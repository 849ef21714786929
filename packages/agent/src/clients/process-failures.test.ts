import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeClientTrial, startBroker } from '../load/testing/client-trial.ts';
import { playTrial } from '../load/testing/play-trial.ts';
import { makeTestRecords } from '../testing/child-records.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { findClients } from './client-kinds.ts';

/** paho-mqtt, only if a Python has it (MQTTLAB_PYTHON). */
const engines = (await findClients()).map(({ engine: client }) => client);
const scripts = engines.filter((client) => client !== 'mosquitto clients');

test.each(scripts)('%s report why a connection for a message failed', async (client) => {
  const broker = await startBroker();
  let taken = 0;
  // Subscriber, its helper, the publisher's first and two for messages; later ones are refused.
  const gate = createServer((socket) => {
    taken += 1;
    const through = taken > 5 ? null : connect(broker.port, '127.0.0.1');
    for (const end of [socket, through]) end?.on('error', () => {});
    if (through === null) socket.destroy();
    else socket.pipe(through).pipe(socket);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void gate.close());
  await once(gate, 'listening');
  const { port } = gate.address() as AddressInfo;
  const spec = {
    client,
    workload: 'reconnect',
    // Slow enough for the first connections on a busy machine.
    readingsPerSecond: 1,
    warmUpMs: 0,
    measureMs: 10_000,
  } as const;
  const { publisher, subscriber } = await playTrial(makeClientTrial(port, spec));
  const { sent, unsent, connectionsOpened, connectionsFailed } = publisher.counters!;
  expect({ sent, connectionsOpened, received: subscriber.counters?.received }).toEqual({
    sent: 2,
    connectionsOpened: 2,
    received: 2,
  });
  // On a slow machine the load may be over before the last messages are tried.
  expect(connectionsFailed).toBeGreaterThan(0);
  expect(connectionsFailed).toBeLessThanOrEqual(8);
  expect(sent + unsent).toBe(10);
  expect(publisher.degraded[0]?.reason).toMatch(
    /^\d+ of \d+ connections failed; reason of the first failure: .* did not connect/,
  );
});

test.each([
  ['3.1.1', Buffer.of(0x20, 2, 0, 1)],
  ['5.0', Buffer.of(0x20, 3, 0, 0x84, 0)],
] as const)('a broker that refuses MQTT %s is reported', async (mqttVersion, refusal) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(refusal));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await expect(playTrial(makeClientTrial(port, { mqttVersion }))).rejects.toMatchObject({
    report: { code: 'connack-refused', message: expect.stringMatching(/protocol version/i) },
  });
});

test('logs in with a password that is not in any argument', async () => {
  const passwords = `${makeTemporaryFolder()}/passwords`;
  execFileSync('mosquitto_passwd', ['-b', '-c', passwords, 'lab', 'correct horse']);
  const { port } = await startBroker({ lines: ['allow_anonymous false', `password_file ${passwords}`] });
  const credentials = { username: 'lab', password: 'correct horse' };
  const folders = { publisher: makeTemporaryFolder(), subscriber: makeTemporaryFolder() };
  const { sent, received } = await playTrial(makeClientTrial(port, {}, { credentials, folders }));
  expect(received.messages).toBe(sent.messages);
  expect(readFileSync(`${folders.publisher}/config/mosquitto_pub`, 'utf8')).toContain('correct horse');
  const wrong = playTrial(makeClientTrial(port, {}, { credentials: { ...credentials, password: 'wrong' } }));
  await expect(wrong).rejects.toMatchObject({ report: { code: 'connack-refused' } });
});

test('a client that is killed during a run is a failure, and none is left behind', async () => {
  const { port } = await startBroker();
  const trial = makeWatchedTrial(port);
  const playing = playTrial(trial);
  await trial.measuring;
  const pid = findClient(trial.folders!.publisher);
  process.kill(pid, 'SIGKILL');
  const { failures } = await playing;
  expect(failures[0]?.code).toBe('connection-lost');
  expect(findClient(trial.folders!.publisher)).toBe(0);
  expect(existsSync(`/proc/${pid}`)).toBe(false);
});

test('clients are recorded, so that the next agent ends those of a killed one', async () => {
  const { port } = await startBroker();
  const trial = makeWatchedTrial(port);
  const playing = playTrial(trial);
  await trial.measuring;
  const records = join(trial.folders!.publisher, 'children');
  const pids = readdirSync(records).map((name) => Number.parseInt(name, 10));
  expect(pids).toContain(findClient(trial.folders!.publisher));
  await makeTestRecords(records).open();
  expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  expect((await playing).failures[0]?.code).toBe('connection-lost');
});

/** A trial of 5 s; `measuring` resolves when the publisher measures: the probes of the connect phase have arrived. */
function makeWatchedTrial(port: number) {
  const { promise: measuring, resolve } = Promise.withResolvers<void>();
  const onPhase = (role: string, phase: string) => {
    if (role === 'publisher' && phase === 'measure') resolve();
  };
  return { ...makeClientTrial(port, { measureMs: 5_000, drainTimeoutMs: 500 }, { onPhase }), measuring };
}

/** Pid of a run's mosquitto_pub, by the folder in its environment; 0 if there is none. */
function findClient(folder: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return Number(pids.find((pid) => isClientOf(pid, folder)) ?? 0);
}

function isClientOf(pid: string, folder: string): boolean {
  try {
    const [command, environment] = ['comm', 'environ'].map((name) =>
      readFileSync(`/proc/${pid}/${name}`, 'latin1'),
    );
    return command === 'mosquitto_pub\n' && environment?.includes(folder) === true;
  } catch {
    return false;
  }
}
