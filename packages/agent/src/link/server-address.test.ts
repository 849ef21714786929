import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAgentOptions } from '../agent.ts';
import { systemClock } from '../load/pacing/clock.ts';
import { startFakeServer } from '../testing/fake-server.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { followServerFile, makeAuthorityPins, makeCredentials } from './credentials.ts';
import { ServerLink } from './server-link.ts';

const first = { url: new URL('http://192.0.2.1:1'), authority: null };

test('the file is read at each attempt; an unreadable one changes nothing', () => {
  const path = join(makeTemporaryFolder(), 'server');
  const server = followServerFile(path, first);
  expect(server()).toEqual(first);
  writeFileSync(path, 'http://127.0.0.1:7001\n');
  expect(server().url.port).toBe('7001');
  writeFileSync(path, '');
  expect(server().url.port).toBe('7001');
  writeFileSync(path, 'http://127.0.0.1:7002');
  expect(server().url.port).toBe('7002');
  rmSync(path);
  expect(server().url.port).toBe('7002');
});

test('a certificate that cannot be parsed changes nothing and is reported once', () => {
  const path = join(makeTemporaryFolder(), 'server');
  const failures: string[] = [];
  const server = followServerFile(path, first, (text) => failures.push(text));
  const damaged = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
  writeFileSync(path, `https://127.0.0.1:7001\n${damaged}\n`);
  expect(server()).toEqual(first);
  expect(server()).toEqual(first);
  expect(failures).toEqual([expect.stringContaining(path)]);
  writeFileSync(path, 'http://127.0.0.1:7002');
  expect(server().url.port).toBe('7002');
});

test('the options read the address from a file', () => {
  const path = join(makeTemporaryFolder(), 'server');
  writeFileSync(path, 'http://127.0.0.1:7001');
  const options = parseAgentOptions(['--server-file', path], { MQTTLAB_AGENT_TOKEN: 'secret' });
  expect(options).toMatchObject({ serverFile: path });
  expect(options.server.url.port).toBe('7001');
  expect(() => parseAgentOptions(['--server-file', `${path}-not`], { MQTTLAB_AGENT_TOKEN: 's' })).toThrow(
    /server-not/,
  );
});

test('a link follows its server to another port without a restart', async () => {
  const path = join(makeTemporaryFolder(), 'server');
  const server = await startFakeServer();
  const log: string[] = [];
  const link = new ServerLink({
    server: followServerFile(path, { url: new URL('http://127.0.0.1:9'), authority: null }),
    pins: makeAuthorityPins({ path: join(makeTemporaryFolder(), 'authorities.json'), extraPath: null }),
    credentials: makeCredentials({ token: server.token, enrolToken: null, name: 'pi', path: '/nowhere' }),
    clock: systemClock,
    timing: { retryMs: 20, retryMostMs: 50, heartbeatMs: 10_000 },
    makeHello: () => Promise.reject(new Error('not this far')),
    onLog: (_level, text) => log.push(text),
  });
  link.start();
  await expect.poll(() => log.join()).toContain('127.0.0.1:9');
  writeFileSync(path, server.address.href);
  await expect.poll(() => log.join()).toContain('not this far');
  await link.stop();
});
