import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { agentFrameSchema } from '@mqttlab/shared/messages/agent';
import { expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../load/pacing/clock.ts';
import { makeTestCertificates, type TestCertificates } from '../testing/certificates.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { type AuthorityPins, makeAuthorityPins, makeCredentials } from './credentials.ts';
import { ServerLink } from './server-link.ts';

/** A TLS server that can present another certificate and announces authorities to its agent. */
async function startServer(first: TestCertificates) {
  const https = createServer({ cert: first.certificateChain, key: first.privateKey });
  const sockets = new WebSocketServer({ server: https });
  const answers: boolean[] = [];
  let socket: WebSocket | null = null;
  sockets.on('connection', (accepted) => {
    socket = accepted;
    accepted.on('message', (data) => {
      const frame = agentFrameSchema.parse(JSON.parse(data.toString()));
      if (frame.type === 'trusts') answers.push(frame.pinned);
    });
  });
  https.listen(0, '127.0.0.1');
  await once(https, 'listening');
  const bound = https.address();
  onTestFinished(() => {
    socket?.terminate();
    https.close();
  });
  return {
    url: new URL(`https://127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`),
    /** Number of accepted connections. */
    connections: () => once(sockets, 'connection'),
    answers,
    announce: (...authorities: string[]) =>
      socket?.send(JSON.stringify({ type: 'trust', id: 1, authorities })),
    show(other: TestCertificates): void {
      https.setSecureContext({ cert: other.certificateChain, key: other.privateKey });
      socket?.terminate();
    },
  };
}

function startLink(url: URL, authority: string | null, pins: AuthorityPins) {
  const log: string[] = [];
  const link = new ServerLink({
    server: () => ({ url, authority }),
    credentials: makeCredentials({ token: 'token', enrolToken: null, name: 'pi', path: '/nowhere' }),
    pins,
    clock: systemClock,
    timing: { retryMs: 10, retryMostMs: 20, heartbeatMs: 60_000 },
    // Never greets: the tested behaviour happens before.
    makeHello: () => new Promise(() => undefined),
    onLog: (_level, text) => log.push(text),
  });
  link.start();
  onTestFinished(() => link.stop());
  return { log, link };
}

const makePins = (path: string, extraPath: string | null = null) => makeAuthorityPins({ path, extraPath });
const newPath = () => join(makeTemporaryFolder(), 'authorities.json');
const timeout = { timeout: 240_000 };

test('an agent follows its server to another authority that was announced, and drops the old one', async () => {
  const [old, next] = [makeTestCertificates('ECDSA P-256'), makeTestCertificates('ECDSA P-256')];
  const server = await startServer(old);
  const path = newPath();
  const first = server.connections();
  const { log } = startLink(server.url, old.authority, makePins(path));
  await first;
  server.announce(old.authority, next.authority);
  await expect.poll(() => server.answers, timeout).toEqual([true]);
  const second = server.connections();
  server.show(next);
  await second;
  server.announce(next.authority);
  await expect.poll(() => server.answers, timeout).toEqual([true, true]);
  server.show(old);
  await expect.poll(() => log.join(), timeout).toMatch(/certificate/);

  // After a restart it pins the new authority, until the server address is supplied with another certificate.
  expect(makePins(path).current(old.authority)).toEqual([next.authority]);
  const third = makeTestCertificates('ECDSA P-256');
  expect(makePins(path).current(third.authority)).toEqual([third.authority.trim()]);
});

test('an agent without the announcement refuses a server of another authority', async () => {
  const [old, next] = [makeTestCertificates('ECDSA P-256'), makeTestCertificates('ECDSA P-256')];
  const server = await startServer(next);
  const { log } = startLink(server.url, old.authority, makePins(newPath()));
  await expect.poll(() => log.join(), timeout).toMatch(/certificate/);
});

test('NODE_EXTRA_CA_CERTS is replaced by the announced authority, until the file changes', async () => {
  const [old, next] = [makeTestCertificates('ECDSA P-256'), makeTestCertificates('ECDSA P-256')];
  const extra = join(makeTemporaryFolder(), 'extra.pem');
  writeFileSync(extra, old.authority);
  const path = newPath();
  const server = await startServer(old);
  const connected = server.connections();
  // Node reads the variable at its start: here the link receives the authorities that it would trust.
  const pins = makePins(path, extra);
  startLink(server.url, null, {
    ...pins,
    current: (configured) => pins.current(configured) ?? [old.authority],
  });
  await connected;
  expect(pins.current(null)).toBeNull();
  server.announce(old.authority);
  server.announce(old.authority, next.authority);
  server.announce(next.authority);
  await expect.poll(() => server.answers, timeout).toEqual([true, true, true]);
  expect(makePins(path, extra).current(null)).toEqual([next.authority]);
  writeFileSync(extra, next.authority);
  expect(makePins(path, extra).current(null)).toBeNull();
});

test('nothing is pinned without verification by the connection', async () => {
  const [own, foreign] = [makeTestCertificates('ECDSA P-256'), makeTestCertificates('ECDSA P-256')];
  const path = newPath();
  const server = await startServer(own);
  const connected = server.connections();
  const { log } = startLink(server.url, own.certificateChain, makePins(path));
  await connected;
  server.announce('-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----');
  await expect.poll(() => server.answers, timeout).toEqual([false]);
  expect(log.join()).toMatch(/could not be pinned/);
  // A proxy in front of the server has another certificate, and the server announces another authority.
  server.announce(foreign.authority);
  await expect.poll(() => server.answers, timeout).toEqual([false, false]);
  const pins = makePins(newPath());
  const announced = { authorities: [foreign.authority], peer: null };
  // Without TLS, and with an agent that trusts the authorities of its system.
  expect(pins.replace({ ...announced, configured: own.authority })).toBe(false);
  expect(pins.replace({ ...announced, configured: null })).toBe(false);
  expect(pins.current(own.authority)).toEqual([own.authority.trim()]);
});
