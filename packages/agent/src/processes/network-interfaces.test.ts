import { Failure } from '@mqttlab/shared/kit/failure';
import { expect, test } from 'vitest';
import { writeFileTree } from '../testing/file-tree.ts';
import { makeTemporaryFolder } from '../testing/temporary-folder.ts';
import { findLinkInterface, readAddresses, readNetworkInterfaces } from './network.ts';

function makeSysfs(): string {
  const root = makeTemporaryFolder();
  const add = (name: string, files: Record<string, string>) =>
    writeFileTree(
      root,
      Object.fromEntries(
        Object.entries(files).map(([path, text]) => [`class/net/${name}/${path}`, `${text}\n`]),
      ),
    );
  add('lo', { type: '772', flags: '0x9', operstate: 'unknown' });
  add('eth0', { type: '1', flags: '0x1003', operstate: 'up', 'device/vendor': '0x1' });
  add('eth1', { type: '1', flags: '0x1003', operstate: 'down', 'device/vendor': '0x1' });
  add('wlan0', {
    type: '1',
    flags: '0x1003',
    operstate: 'up',
    'device/vendor': '0x1',
    'phy80211/name': 'phy0',
  });
  add('wwan0', { type: '65534', flags: '0x1', operstate: 'unknown', uevent: 'DEVTYPE=wwan' });
  add('docker0', { type: '1', flags: '0x1003', operstate: 'up' });
  writeFileTree(root, { 'class/net/bonding_masters': '' });
  return root;
}

const addresses = { lo: '127.0.0.1', eth0: '192.0.2.7', wlan0: '192.0.2.8', eth1: '192.0.2.9' };

test('reports the kind of each interface and whether it is up', () => {
  const found = readNetworkInterfaces(makeSysfs(), addresses);
  expect(found.map(({ name, kind, address, up }) => `${name} ${kind} ${address} ${up}`)).toEqual([
    'docker0 virtual  true',
    'eth0 ethernet 192.0.2.7 true',
    'eth1 ethernet 192.0.2.9 false',
    'wlan0 wifi 192.0.2.8 true',
    'wwan0 cellular  true',
    'lo loopback 127.0.0.1 true',
  ]);
});

test('reads this machine', () => {
  const found = readNetworkInterfaces('/sys', readAddresses());
  expect(found).toContainEqual({ name: 'lo', kind: 'loopback', address: '127.0.0.1', up: true });
});

test.each([
  ['eth0', 'eth0'],
  ['ethernet', 'eth0'],
  ['wifi', 'wlan0'],
  ['loopback', 'lo'],
])('the link "%s" is %s', (link, name) => {
  expect(findLinkInterface(link, readNetworkInterfaces(makeSysfs(), addresses)).name).toBe(name);
});

test.each(['lte', 'eth1', 'moon'])(
  'the link "%s" cannot be used, and the available links are listed',
  (link) => {
    const find = () => findLinkInterface(link, readNetworkInterfaces(makeSysfs(), addresses));
    expect(find).toThrow(Failure);
    expect(find).toThrow('wlan0 (wifi)');
  },
);
