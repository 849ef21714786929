import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { connect as connectPlain, createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate as immediately } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { CertificateKind, TrialSpec } from '@mqttlab/shared/domain/plans/trial-spec';
import { Failure } from '@mqttlab/shared/kit/failure';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ChildRecords } from '../processes/child-records.ts';
import { findDeathSignalCommand } from '../processes/programs.ts';
import { makeTestCertificates, type TestCertificates } from '../testing/certificates.ts';
import { testEntry } from '../testing/entry.ts';
import { makeTestSpec } from '../testing/specs.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { cipherStringOf, isTls13Suite } from '../tls/suites-and-groups.ts';
import { probeNodeTls } from '../tls/tls-library.ts';
import type { BrokerOffer } from './broker.ts';
import { brokerProbes } from './list.ts';
import { MosquittoBroker } from './mosquitto.ts';
import { pickFreePort } from './ports.ts';

const offers = new Map<string, BrokerOffer>();
const certificates = new Map<CertificateKind, TestCertificates>();

beforeAll(async () => {
  const nodeTls = probeNodeTls();
  for (const [kind, probe] of Object.entries(brokerProbes)) {
    const offer = await probe({ entry: testEntry, nodeTls });
    if (offer !== null) offers.set(kind, offer);
  }
  for (const kind of ['ECDSA P-256', 'RSA 2048'] as const) certificates.set(kind, makeTestCertificates(kind));
});

function makeOptions(spec: TrialSpec, log: string[] = []) {
  const folder = makeTemporaryFolder();
  const tls = spec.certificate === null ? null : certificateOf(spec.certificate);
  const records = new ChildRecords({ folder, procRoot: '/proc', onFailure: () => {} });
  const onLog = (_level: string, text: string) => log.push(text);
  return { spec, tls, address: '127.0.0.1', folder, records, onLog };
}

function makeBroker(kind: string, spec: TrialSpec, log: string[] = []) {
  const broker = offerOf(kind).make(makeOptions(spec, log));
  onTestFinished(() => broker.stop());
  return broker;
}

function offerOf(kind: string): BrokerOffer {
  const offer = offers.get(kind);
  if (offer === undefined) throw new Error(`${kind} is not on this machine`);
  return offer;
}

function certificateOf(kind: CertificateKind): TestCertificates {
  return certificates.get(kind)!;
}

/** The parameters that a client negotiates if it offers the suite of the spec and every possible group. */
async function handshake(port: number, spec: TrialSpec) {
  const version = spec.security === 'TLS 1.3' ? 'TLSv1.3' : 'TLSv1.2';
  const { authority, serverName } = certificateOf(spec.certificate!);
  const socket = connect({
    port,
    host: '127.0.0.1',
    ca: authority,
    servername: serverName,
    minVersion: version,
    maxVersion: version,
    ciphers: cipherStringOf(spec.cipherSuite!),
    ecdhCurve: 'P-521:P-256:X25519:P-384:X448:ffdhe2048:ffdhe3072:X25519MLKEM768',
  });
  try {
    await once(socket, 'secureConnect');
    const key = socket.getEphemeralKeyInfo();
    return {
      protocol: socket.getProtocol(),
      suite: socket.getCipher().name,
      group: (key !== null && 'name' in key && key.name) || null,
      bits: (key !== null && 'size' in key && key.size) || null,
    };
  } finally {
    socket.destroy();
  }
}

function specOf(cipherSuite: string, group: string | null = null): TrialSpec {
  const certificate = /^(TLS_|ECDHE-ECDSA)/.test(cipherSuite) ? 'ECDSA P-256' : 'RSA 2048';
  const security = isTls13Suite(cipherSuite) ? 'TLS 1.3' : 'TLS 1.2';
  return makeTestSpec({ security, cipherSuite, group, certificate });
}

describe.each(Object.keys(brokerProbes))('%s', (kind) => {
  test('listens when it is ready, and has ended after stop', async () => {
    const broker = makeBroker(kind, makeTestSpec());
    const ready = await broker.start();
    expect(ready).toMatchObject({ kind, address: '127.0.0.1', pid: broker.pid });
    expect(existsSync(`/proc/${ready.pid}`)).toBe(true);
    const socket = connectPlain(ready.port, ready.address);
    await once(socket, 'connect');
    socket.destroy();
    await broker.stop();
    await broker.stop();
    expect(existsSync(`/proc/${ready.pid}`)).toBe(false);
  });

  test('reports its death, but not a stop', async () => {
    const deaths: string[] = [];
    const killed = makeBroker(kind, makeTestSpec());
    killed.onExit(() => deaths.push('killed'));
    process.kill((await killed.start()).pid!, 'SIGKILL');
    const stopped = makeBroker(kind, makeTestSpec());
    stopped.onExit(() => deaths.push('stopped'));
    await stopped.start();
    await stopped.stop();
    await expect.poll(() => deaths).toEqual(['killed']);
  });

  test('cancels a pending start when it is stopped', async () => {
    const broker = makeBroker(kind, makeTestSpec());
    const starting = expect(broker.start()).rejects.toThrow(Failure);
    await broker.stop();
    await starting;
    expect(broker.pid === null || !existsSync(`/proc/${broker.pid}`)).toBe(true);
  });

  test('reports why it cannot start', async () => {
    const spec = specOf('TLS_AES_128_GCM_SHA256', 'X25519');
    const options = makeOptions(spec);
    const broken = { ...certificateOf('ECDSA P-256'), privateKey: certificateOf('RSA 2048').privateKey };
    const broker = offerOf(kind).make({ ...options, tls: broken });
    const failure = { code: 'broker-start', message: expect.stringMatching(/key/i) };
    await expect(broker.start()).rejects.toMatchObject({ report: failure });
  });

  test.each([
    ['TLS_AES_128_GCM_SHA256', 'P-384', { protocol: 'TLSv1.3', group: 'secp384r1' }],
    ['TLS_CHACHA20_POLY1305_SHA256', 'ffdhe3072', { protocol: 'TLSv1.3', bits: 3072 }],
    ['ECDHE-ECDSA-AES128-GCM-SHA256', 'X25519', { protocol: 'TLSv1.2', group: 'X25519' }],
    ['ECDHE-RSA-AES256-GCM-SHA384', 'X448', { protocol: 'TLSv1.2', group: 'X448' }],
    ['DHE-RSA-AES128-GCM-SHA256', null, { protocol: 'TLSv1.2', bits: 2048 }],
    ['AES128-GCM-SHA256', null, { protocol: 'TLSv1.2', group: null }],
  ])('pins %s and %s whatever else a client offers', async (suite, group, expected) => {
    const spec = specOf(suite, group);
    const ready = await makeBroker(kind, spec).start();
    expect(await handshake(ready.port, spec)).toMatchObject({ ...expected, suite });
  });
});

test('the embedded broker survives clients that disconnect as soon as they are connected', async () => {
  const spec = specOf('TLS_AES_128_GCM_SHA256', 'X25519');
  const broker = makeBroker('embedded', spec);
  const { port, pid } = await broker.start();
  const { authority, serverName } = certificateOf('ECDSA P-256');
  // CONNECT of MQTT 3.1.1 with client identifier "ab" (section 3.1).
  const packet = Buffer.from('100e00044d5154540402003c00026162', 'hex');
  for (let count = 0; count < 30; count += 1) {
    const socket = connect({ port, host: '127.0.0.1', ca: authority, servername: serverName });
    await once(socket, 'secureConnect');
    socket.write(packet);
    if (count % 2 === 0) socket.destroy();
    else socket.end();
  }
  expect(await handshake(port, spec)).toMatchObject({ suite: 'TLS_AES_128_GCM_SHA256' });
  expect(existsSync(`/proc/${pid}`)).toBe(true);
});

test('the embedded broker supports the post-quantum hybrid group', async () => {
  const spec = specOf('TLS_AES_256_GCM_SHA384', 'X25519MLKEM768');
  const ready = await makeBroker('embedded', spec).start();
  expect(await handshake(ready.port, spec)).toMatchObject({ group: 'X25519MLKEM768' });
});

test('every suite that Mosquitto announces can be negotiated with it', async () => {
  const { tls } = offerOf('mosquitto').capability;
  expect(tls.suites.length).toBeGreaterThan(8);
  for (const suite of tls.suites) {
    const spec = specOf(suite);
    const broker = makeBroker('mosquitto', spec);
    const ready = await broker.start();
    expect(await handshake(ready.port, spec)).toMatchObject({ suite });
    await broker.stop();
  }
});

test('Mosquitto tries another port if one is taken, and fails by name if all are', async () => {
  const foreign = createServer().listen(0, '127.0.0.1');
  await once(foreign, 'listening');
  onTestFinished(() => void foreign.close());
  const bound = foreign.address();
  const taken = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const installation = {
    binary: '/usr/sbin/mosquitto',
    version: '2',
    tlsLibrary: '',
    deathSignalCommand: await findDeathSignalCommand(),
    fileLimitCommand: [],
  };
  const ports = [taken, taken];
  const pick = async () => ports.shift() ?? 0;
  const unlucky = new MosquittoBroker(installation, makeOptions(makeTestSpec()), async () => taken);
  await expect(unlucky.start()).rejects.toMatchObject({ report: { code: 'port-taken' } });
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const next = free.address();
  if (typeof next === 'object' && next !== null) ports.push(next.port);
  free.close();
  const lucky = new MosquittoBroker(installation, makeOptions(makeTestSpec()), pick);
  onTestFinished(() => lucky.stop());
  expect((await lucky.start()).port).not.toBe(taken);
});

/** Listens on the first of two ports, both below those that the kernel hands out. */
async function takeFirstOfTwo(): Promise<{ first: number; last: number }> {
  const first = await pickFreePort('127.0.0.1', { first: 20_000, last: 30_000 });
  const ports = { first, last: first + 1 };
  // Throws if the second one is in use.
  await pickFreePort('127.0.0.1', { first: ports.last, last: ports.last });
  const server = createServer().listen(ports.first, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return ports;
}

describe.each(Object.keys(brokerProbes))('a range of ports: %s', (kind) => {
  test('listens on the free port of the range, and names the range if all are in use', async () => {
    const ports = await takeFirstOfTwo();
    const options = makeOptions(makeTestSpec());
    const lucky = offerOf(kind).make({ ...options, ports });
    onTestFinished(() => lucky.stop());
    expect((await lucky.start()).port).toBe(ports.last);
    const unlucky = offerOf(kind).make({ ...makeOptions(makeTestSpec()), ports });
    onTestFinished(() => unlucky.stop());
    await expect(unlucky.start()).rejects.toMatchObject({
      code: 'ports-taken',
      message: expect.stringContaining(`${ports.first} to ${ports.last}`),
      remedy: expect.stringContaining('Devices page'),
    });
  });
});

test('the configuration of Mosquitto contains no key and is readable by its owner only', async () => {
  const spec = specOf('TLS_AES_128_GCM_SHA256', 'X25519');
  const options = makeOptions(spec);
  const broker = offerOf('mosquitto').make(options);
  onTestFinished(() => broker.stop());
  await broker.start();
  for (const name of readdirSync(options.folder)) {
    expect(statSync(`${options.folder}/${name}`).mode & 0o077, name).toBe(0);
  }
  expect(broker.facts()['broker.configuration']).not.toContain('PRIVATE KEY');
});

test('a Mosquitto that is stopped while its configuration is written is never started', async () => {
  const options = makeOptions(makeTestSpec());
  const broker = offerOf('mosquitto').make(options);
  onTestFinished(() => broker.stop());
  const started = broker.start().catch(() => null);
  while (!existsSync(join(options.folder, 'mosquitto.conf'))) await immediately();
  await broker.stop();
  await started;
  expect(broker.pid === null || !existsSync(`/proc/${broker.pid}`)).toBe(true);
});
