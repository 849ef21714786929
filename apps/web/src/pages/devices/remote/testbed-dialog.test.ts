import type { NetworkInterface } from '@mqttlab/shared/domain/devices/capabilities';
import type { KnownDevice } from '@mqttlab/shared/messages/devices';
import { makeCapabilities } from '@mqttlab/shared/testing/factories';
import { expect, it } from 'vitest';
import { linksOf, readPorts } from './testbed-dialog.tsx';

type Given = Pick<NetworkInterface, 'name' | 'kind'> & { up?: boolean };

function makeDevice(id: string, interfaces: Given[]): KnownDevice {
  const full = interfaces.map((given, index) => ({ address: `192.0.2.${index + 1}`, up: true, ...given }));
  const capabilities = { ...makeCapabilities('publisher'), interfaces: full };
  return {
    id,
    name: id,
    role: 'publisher',
    testbedId: '',
    online: true,
    state: 'online',
    reasons: [],
    lastSeenAt: 1,
    health: null,
    capabilities,
    ssh: null,
    setAside: [],
  };
}

it('joins interfaces by name, or by kind if names differ', () => {
  const devices = [
    makeDevice('a', [
      { name: 'eth0', kind: 'ethernet' },
      { name: 'wlan0', kind: 'wifi' },
    ]),
    makeDevice('b', [
      { name: 'end0', kind: 'ethernet' },
      { name: 'wlan0', kind: 'wifi' },
    ]),
  ];
  expect(linksOf(devices)).toEqual([
    { name: 'ethernet', interfaces: { a: 'eth0', b: 'end0' } },
    { name: 'wlan0', interfaces: { a: 'wlan0', b: 'wlan0' } },
  ]);
});

it('omits loopback, inactive interfaces and interfaces that another device lacks', () => {
  const devices = [
    makeDevice('a', [
      { name: 'lo', kind: 'loopback' },
      { name: 'eth0', kind: 'ethernet' },
      { name: 'wlan0', kind: 'wifi' },
    ]),
    makeDevice('b', [
      { name: 'lo', kind: 'loopback' },
      { name: 'eth0', kind: 'ethernet', up: false },
    ]),
  ];
  expect(linksOf(devices)).toEqual([]);
});

it('does not guess between two interfaces of a kind', () => {
  const devices = [
    makeDevice('a', [{ name: 'eth0', kind: 'ethernet' }]),
    makeDevice('b', [
      { name: 'end0', kind: 'ethernet' },
      { name: 'end1', kind: 'ethernet' },
    ]),
  ];
  expect(linksOf(devices)).toEqual([]);
});

it('reads the ports of brokers: a range, a single port, or any', () => {
  expect(readPorts({ first: '40000', last: '40010' })).toEqual({
    ok: true,
    body: { first: 40_000, last: 40_010 },
  });
  expect(readPorts({ first: '1883', last: ' ' })).toEqual({ ok: true, body: { first: 1883, last: 1883 } });
  expect(readPorts({ first: '', last: '' })).toEqual({ ok: true, body: null });
});

it.each([
  ['80', '90', ['first', 'last']],
  ['40000', '39999', ['last']],
  ['', '40000', ['first']],
  ['4e4.5', '40000', ['first']],
  ['40000', '70000', ['last']],
])('refuses the ports %s to %s at their field, with a remedy', (first, last, fields) => {
  const read = readPorts({ first, last });
  if (read.ok) throw new Error('it was accepted');
  expect(Object.keys(read.problems)).toEqual(fields);
  for (const { what, remedy } of Object.values(read.problems)) {
    expect(what).toMatch(/^This /);
    expect(remedy).toContain('leave both fields empty');
  }
});
