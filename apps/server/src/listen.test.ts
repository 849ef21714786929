import { createServer } from 'node:http';
import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { addressesForOthers } from './transport.ts';

const at = (address: string, change: Partial<NetworkInterfaceInfo> = {}) =>
  ({
    address,
    family: address.includes(':') ? 'IPv6' : 'IPv4',
    internal: false,
    ...change,
  }) as NetworkInterfaceInfo;
const interfaces = {
  lo: [at('127.0.0.1', { internal: true }), at('::1', { internal: true })],
  eth0: [at('192.168.1.7'), at('fe80::1'), at('2001:db8::7')],
};
const config = { host: '0.0.0.0', hostnames: [] as string[] };

it.each([
  ['every IPv4 address of the machine', config, ['http://192.168.1.7:8080']],
  [
    'IPv6 as well if it listens there',
    { ...config, host: '::' },
    ['http://192.168.1.7:8080', 'http://[2001:db8::7]:8080'],
  ],
  ['configured names', { ...config, hostnames: ['lab.example'] }, ['http://lab.example:8080']],
  ['the one address it listens on', { ...config, host: '192.168.1.7' }, ['http://192.168.1.7:8080']],
  ['none on loopback', { ...config, host: '127.0.0.1' }, []],
])('colleagues get %s', (_name, where, expected) => {
  expect(addressesForOthers(createServer(), { ...where, port: 8080 }, interfaces)).toEqual(expected);
});
