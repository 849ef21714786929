import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Config } from './base/config.ts';
import { makeTestConfig } from './testing/server-factory.ts';
import { listen, originForLinks } from './transport.ts';

const server = createServer();
beforeAll(() => listen(server, { host: '127.0.0.1', port: 0 }));
afterAll(() => void server.close());

const local = 'http://127.0.0.1:8080';
const publicUrl = 'https://lab.example';
const proxied: Config['transport'] = { kind: 'proxy', addresses: ['192.0.2.1'] };

it.each([
  ['the configured one, wherever the page is open', { publicUrl }, 'http://192.0.2.9:8080', publicUrl],
  [
    'that of the caller, if it is not this machine',
    { host: '0.0.0.0' },
    'http://pi.local:8080',
    'http://pi.local:8080',
  ],
  ['a name of the server', { host: '0.0.0.0', hostnames: ['lab.example'] }, local, 'http://lab.example:PORT'],
  [
    'the address that the server listens on',
    { host: '192.0.2.7' },
    'http://[::1]:8080',
    'http://192.0.2.7:PORT',
  ],
  ['none on loopback', {}, local, null],
  ['none behind a proxy of unknown address', { host: '0.0.0.0', transport: proxied }, local, null],
])('the origin of links is %s', (_, change, reached, expected) => {
  const { port } = server.address() as AddressInfo;
  const config = makeTestConfig('/nonexistent', change);
  expect(originForLinks(config, server, reached)).toBe(expected?.replace('PORT', String(port)) ?? null);
});
